package dev.tollgate.core.limit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.limit.Bucket.LimitScope;
import java.util.List;

/**
 * Layout of the {@code x-ratelimit-*} fields of a limit set: which buckets they show, and their
 * constant bytes. Of the key's request limits the one per minute is shown, or the one per second if
 * there is no other.
 *
 * @param requests index of the shown bucket of requests in the limit set; below 0 means none
 * @param tokens index of the shown bucket of tokens; below 0 means none
 */
record LimitFieldLayout(int requests, int tokens, Lines requestLines, Lines tokenLines) {

  /** Constant bytes before the remaining amount and before the reset time. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Lines(byte[] aheadOfRemaining, byte[] aheadOfReset) {
    private static Lines of(String what, List<Bucket> buckets, int n) {
      long limit = n < 0 ? 0 : buckets.get(n).capacity();
      String first = "x-ratelimit-limit-" + what + ": " + limit + "\r\n";
      return new Lines(
          (first + "x-ratelimit-remaining-" + what + ": ").getBytes(US_ASCII),
          ("\r\nx-ratelimit-reset-" + what + ": ").getBytes(US_ASCII));
    }
  }

  static LimitFieldLayout of(List<Bucket> buckets) {
    int requests = -1;
    int tokens = -1;
    for (int n = 0; n < buckets.size(); n++) {
      if (buckets.get(n).scope() == LimitScope.KEY) {
        switch (buckets.get(n).unit()) {
          case REQUESTS_PER_SECOND -> requests = requests < 0 ? n : requests;
          case REQUESTS_PER_MINUTE -> requests = n;
          case TOKENS_PER_MINUTE -> tokens = n;
        }
      }
    }
    return new LimitFieldLayout(
        requests,
        tokens,
        Lines.of("requests", buckets, requests),
        Lines.of("tokens", buckets, tokens));
  }

  boolean isEmpty() {
    return requests < 0 && tokens < 0;
  }
}
