package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;

/** What one event of Gemini's tells of the usage: of all so far, so that the last one holds. */
final class GeminiTally implements ToldUsage {
  private final JsonMembers event;
  private final JsonMembers told = new JsonMembers();
  private int at = -1;

  /**
   * @param event the event at hand, read anew for each
   */
  GeminiTally(JsonMembers event) {
    this.event = event;
  }

  /** Takes the event's; says whether it has any. An object that counts nothing says nothing. */
  boolean take() {
    int i = Given.at(event, "usageMetadata", JsonKind.OBJECT);
    at = -1;
    if (i >= 0) {
      told.readInside(event, i);
      boolean counts =
          told.indexOf("promptTokenCount") >= 0
              || told.indexOf("totalTokenCount") >= 0
              || Given.at(event, "promptFeedback", JsonKind.OBJECT) >= 0;
      at = counts ? i : -1;
    }
    return at >= 0;
  }

  /** Writes it as it stands, for whoever needs it if none comes behind it. */
  void writeSoFar(JsonOut chunk) {
    UsageSoFar.write(event, at, chunk);
  }

  @Override
  public void writeTo(JsonOut out) {
    if (at >= 0) {
      UsageTerms.GEMINI
          .read(told, 0)
          .ifPresent(usage -> CanonicalUsage.write(usage, told, out.name("usage")));
    }
  }
}
