package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.CanonicalUsage;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReportedUsage;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Token usage that the events of a Gemini stream report; each covers all events so far, so the
 * latest one holds.
 */
final class GeminiReportedUsage implements ReportedUsage {
  private final JsonMembers event;
  private final JsonMembers reported = new JsonMembers();
  private int at = -1;

  /**
   * @param event the current event, read anew for each
   */
  GeminiReportedUsage(JsonMembers event) {
    this.event = event;
  }

  /** Reads the event's usage; false means it has none. An object without counts is ignored. */
  boolean readUsage() {
    int i = JsonReads.find(event, "usageMetadata", JsonKind.OBJECT);
    at = -1;
    if (i >= 0) {
      reported.readInside(event, i);
      boolean counts =
          reported.indexOf("promptTokenCount") >= 0
              || reported.indexOf("totalTokenCount") >= 0
              || JsonReads.find(event, "promptFeedback", JsonKind.OBJECT) >= 0;
      at = counts ? i : -1;
    }
    return at >= 0;
  }

  /** Writes the usage in Gemini's form, for the case that no later event has one. */
  void writeInterim(JsonWriter chunk) {
    InterimUsage.write(event, at, chunk);
  }

  @Override
  public void writeTo(JsonWriter out) {
    if (at >= 0) {
      CanonicalUsage.write(GeminiUsage.FORMAT, reported, out);
    }
  }
}
