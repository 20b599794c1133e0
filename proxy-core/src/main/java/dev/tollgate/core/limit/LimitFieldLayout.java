package dev.tollgate.core.limit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.limit.Bucket.LimitScope;
import java.util.List;

/**
 * Which of an allotment's buckets clients are shown, and what is the same for each of them in the
 * lines {@code x-ratelimit-*}. Of the key's requests the minute is shown, or the second where only
 * that is limited.
 *
 * @param requests place of the bucket of requests in the allotment; below 0: none is shown
 * @param tokens the same of tokens
 */
record LimitFieldLayout(int requests, int tokens, Lines requestLines, Lines tokenLines) {

  /** What stands ahead of what is left, and ahead of the time until the bucket is full again. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
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
