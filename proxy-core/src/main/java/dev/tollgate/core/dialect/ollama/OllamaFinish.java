package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.UsageAccumulator;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/** Converts Ollama's finish reasons and token counts to canonical form. */
final class OllamaFinish {
  private OllamaFinish() {}

  /** Returns the reason in OpenAI's terms; Ollama does not report that tools were called. */
  static String canonical(String reason, boolean called) {
    if (reason.equals("length")) {
      return "length";
    }
    return called ? "tool_calls" : "stop";
  }

  /** Returns the usage of the last object, whose numbers are counts and times. */
  static UsageAccumulator usage(JsonMembers last) {
    ByteBuf buffer = Unpooled.buffer(256);
    JsonWriter out = new JsonWriter(buffer).beginObject().name("usage").beginObject();
    for (int i = 0; i < last.size(); i++) {
      if (last.kind(i) == JsonKind.NUMBER) {
        out.name(last.name(i)).raw(JsonBytes.of(last, i));
      }
    }
    out.endObject().endObject();
    byte[] json = Arrays.copyOf(buffer.array(), buffer.writerIndex());
    var usage = new UsageAccumulator(OllamaUsage.FORMAT);
    usage.add(JsonMembers.ofKept(json), 0);
    return usage;
  }
}
