package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NoProviderRefusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Factory of the {@code X-LLM-*} and {@code Server-Timing} header fields of replies
 * (docs/decisions/requests.md#reply-headers).
 */
public final class ReplyFields {
  private static final String REASON = "X-LLM-Routing-Reason";
  private static final String DROPPED = "X-LLM-Dropped";

  /** Highest number of fields of a reply; those of the limits count as one. */
  private static final int FIELDS_MAX = 6;

  private ReplyFields() {}

  /**
   * Returns the fields of a reply, as a list that may grow.
   *
   * @param reason the routing reason
   * @param cost the charge, or on streams the admitted estimate
   */
  public static List<FieldLines> of(
      InferenceCall call,
      Candidate selected,
      String reason,
      MicroUsd cost,
      Timeline timeline,
      long nowNanos) {
    String overhead = millis(timeline.overhead(nowNanos));
    String upstream = millis(timeline.upstream(nowNanos));
    List<FieldLines> fields = new ArrayList<>(FIELDS_MAX);
    fields.add(new Field("X-LLM-Provider", selected.id().value()));
    fields.add(new Field("X-LLM-Model", call.model().id().toString()));
    fields.add(new Field(REASON, reason));
    fields.add(new Field("X-LLM-Cost-Micro", Long.toString(cost.value())));
    fields.add(new Field("Server-Timing", "gw;dur=" + overhead + ", upstream;dur=" + upstream));
    return fields;
  }

  /**
   * Returns the field with the paths of what the provider did not get as the client sent it. They
   * have names from the request: what could end a list's element or a header is shown as {@code ?}.
   */
  public static Field dropped(List<String> paths) {
    StringBuilder list = new StringBuilder();
    for (String path : paths) {
      list.append(list.isEmpty() ? "" : ", ");
      for (int i = 0; i < path.length(); i++) {
        char c = path.charAt(i);
        list.append(c > ' ' && c < 0x7F && c != ',' ? c : '?');
      }
    }
    return new Field(DROPPED, list.toString());
  }

  /**
   * Returns the fields of an accepted job, with the reservation as its cost.
   *
   * @param dropped JSON paths of what its provider will not get
   */
  public static List<FieldLines> of(Job job, String reason, List<String> dropped) {
    List<FieldLines> fields = new ArrayList<>(FIELDS_MAX);
    fields.addAll(of(job));
    fields.add(new Field(REASON, reason));
    if (!dropped.isEmpty()) {
      fields.add(dropped(dropped));
    }
    return fields;
  }

  /** Returns the fields of a job that was accepted before; its routing reason is not stored. */
  public static List<FieldLines> of(Job job) {
    return List.of(
        new Field("X-LLM-Provider", job.provider()),
        new Field("X-LLM-Model", job.model()),
        new Field("X-LLM-Cost-Micro", Long.toString(job.estimated().value())));
  }

  /** Returns the timing of a reply that needed no provider. */
  public static Field overhead(Timeline timeline, long nowNanos) {
    return new Field("Server-Timing", "gw;dur=" + millis(timeline.overhead(nowNanos)));
  }

  /** Returns the fields of a refusal without a provider. */
  public static List<FieldLines> of(NoProviderRefusal refusal) {
    return List.of(new Field(REASON, refusal.reason()));
  }

  /** Returns milliseconds with two decimals, without a formatter: this is on the hot path. */
  static String millis(Duration duration) {
    long hundredths = Math.max(0, duration.toNanos()) / 10_000;
    long fraction = hundredths % 100;
    return hundredths / 100 + (fraction < 10 ? ".0" : ".") + fraction;
  }
}
