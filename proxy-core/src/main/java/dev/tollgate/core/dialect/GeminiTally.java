package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;

/** What one event of Gemini's tells of the usage: of all so far, so that the last one holds. */
final class GeminiTally implements ToldUsage {
  private final JsonMembers told = new JsonMembers();
  private boolean counts;

  /** Takes an event's; says whether it has any. An object that counts nothing says nothing. */
  boolean take(JsonMembers event) {
    int i = Given.at(event, "usageMetadata", JsonKind.OBJECT);
    counts = false;
    if (i >= 0) {
      told.readInside(event, i);
      counts =
          told.indexOf("promptTokenCount") >= 0
              || told.indexOf("totalTokenCount") >= 0
              || Given.at(event, "promptFeedback", JsonKind.OBJECT) >= 0;
    }
    return counts;
  }

  @Override
  public void writeTo(JsonOut out) {
    if (counts) {
      UsageTerms.GEMINI
          .read(told, 0)
          .ifPresent(usage -> CanonicalUsage.write(usage, told, out.name("usage")));
    }
  }
}
