package dev.tollgate.core.dialect.openai;

import dev.tollgate.core.catalog.OpenAiQuirks.Reasoning;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.sse.SseSink;
import org.jspecify.annotations.Nullable;

/**
 * Translates replies of OpenAI-compatible servers that are canonical except for the place of the
 * model's reasoning.
 */
public record ReasoningTranslation(Reasoning where) implements ReplyTranslation {
  @Override
  public SseSink stream(SseSink canonical) {
    return new ReasoningStream(ReasoningText.from(where), canonical);
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          int i = JsonReads.find(root, "choices", JsonKind.ARRAY);
          JsonSplice choices = i < 0 ? null : choices(root.array(i));
          if (choices != null) {
            out.raw(JsonSplice.of(root).replace(i, choices));
          }
        });
  }

  private @Nullable JsonSplice choices(JsonElements choices) {
    JsonSplice edits = JsonSplice.of(choices);
    for (int k = 0; k < choices.size(); k++) {
      JsonMembers choice = choices.kind(k) == JsonKind.OBJECT ? choices.object(k) : null;
      int i = choice == null ? -1 : JsonReads.find(choice, "message", JsonKind.OBJECT);
      JsonSplice relocated =
          choice == null || i < 0
              ? null
              : ReasoningText.from(where).relocate(choice.object(i), true);
      if (choice != null && relocated != null) {
        edits.replace(k, JsonSplice.of(choice).replace(i, relocated));
      }
    }
    return edits.isUnchanged() ? null : edits;
  }
}
