package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.dialect.anthropic.ClaudeVersion;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * Writes {@code additionalModelRequestFields}, the fields that Bedrock's Converse API passes to the
 * model unchecked. A client's values under Converse's own member take precedence.
 */
final class BedrockExtras {
  private static final String NAME = "additionalModelRequestFields";

  private final JsonMembers chat;
  private final Route route;
  private final BedrockFamily family;
  private final BedrockThinking thinking;
  private final DroppedFields dropped;

  BedrockExtras(
      JsonMembers chat,
      Route route,
      BedrockFamily family,
      BedrockThinking thinking,
      DroppedFields dropped) {
    this.chat = chat;
    this.route = route;
    this.family = family;
    this.thinking = thinking;
    this.dropped = dropped;
  }

  void writeTo(JsonWriter out) {
    JsonMembers given = JsonReads.object(chat, NAME);
    JsonMembers ours = ours();
    if (given.size() + ours.size() == 0) {
      return;
    }
    boolean mayChoosePrices = route.provider().quirks().rights().pricedOptions();
    out.name(NAME).beginObject();
    for (int i = 0; i < given.size(); i++) {
      if (!mayChoosePrices && PricedOption.isAt(given, i, Operation.CHAT)) {
        dropped.add(NAME + "." + given.name(i));
      } else {
        out.name(given.name(i)).raw(JsonBytes.of(given, i));
      }
    }
    for (int i = 0; i < ours.size(); i++) {
      if (given.indexOf(ours.name(i)) < 0) {
        out.name(ours.name(i)).raw(JsonBytes.of(ours, i));
      }
    }
    out.endObject();
  }

  private JsonMembers ours() {
    ByteBuf buffer = Unpooled.buffer(64);
    JsonWriter out = new JsonWriter(buffer).beginObject();
    thinking.writeTo(out);
    topK(out);
    out.endObject();
    return JsonMembers.ofKept(ByteBufUtil.getBytes(buffer));
  }

  private void topK(JsonWriter out) {
    int i = JsonReads.find(chat, "top_k", JsonKind.NUMBER);
    if (i < 0) {
      return;
    }
    boolean takes =
        !family.topK().isEmpty()
            && route.provider().quirks().sampling()
            && !thinking.barsSampling()
            && ClaudeVersion.takesSampling(route.upstreamModel());
    if (!takes) {
      dropped.add("top_k");
      return;
    }
    switch (family) {
      case NOVA, NOVA_2 -> {
        out.name("inferenceConfig").beginObject().name(family.topK());
        out.raw(JsonBytes.normalized(chat, i)).endObject();
      }
      case CLAUDE, OPENAI, MISTRAL, COHERE, PROFILE, OTHER ->
          out.name(family.topK()).raw(JsonBytes.normalized(chat, i));
    }
  }
}
