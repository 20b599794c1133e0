package dev.tollgate.core.limit;

import dev.tollgate.core.http.Field;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.limit.Drawn.Level;
import java.util.ArrayList;
import java.util.List;

/**
 * The headers {@code x-ratelimit-*} (DECISIONS 1): how the key's own buckets stand after a request.
 * Of the requests the minute is shown, or the second where only that is limited.
 */
public final class LimitFields {
  private LimitFields() {}

  public static List<Field> of(Draw draw, List<Level> levels) {
    int requests = -1;
    int tokens = -1;
    for (int n = 0; n < levels.size(); n++) {
      Bucket bucket = draw.takes().get(n).bucket();
      if (bucket.scope() == Scope.KEY) {
        switch (bucket.unit()) {
          case REQUESTS_PER_SECOND -> requests = requests < 0 ? n : requests;
          case REQUESTS_PER_MINUTE -> requests = n;
          case TOKENS_PER_MINUTE -> tokens = n;
        }
      }
    }
    if (requests < 0 && tokens < 0) {
      return List.of();
    }
    List<Field> fields = new ArrayList<>(6);
    add(fields, "requests", draw.takes(), levels, requests);
    add(fields, "tokens", draw.takes(), levels, tokens);
    return fields;
  }

  private static void add(
      List<Field> fields, String what, List<Take> takes, List<Level> levels, int n) {
    if (n >= 0) {
      Bucket bucket = takes.get(n).bucket();
      Level level = levels.get(n);
      long remaining = Math.max(0, level.remaining());
      fields.add(new Field("x-ratelimit-limit-" + what, Long.toString(bucket.capacity())));
      fields.add(new Field("x-ratelimit-remaining-" + what, Long.toString(remaining)));
      fields.add(new Field("x-ratelimit-reset-" + what, Reset.of(bucket, level)));
    }
  }
}
