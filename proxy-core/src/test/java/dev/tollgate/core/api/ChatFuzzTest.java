package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.json.RandomJson;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damaged and random input: no exception, and valid output. */
class ChatFuzzTest {
  private static final String[] PIECES = {
    "null",
    "true",
    "0",
    "-1",
    "1e9",
    "\"\"",
    "\"x\"",
    "[]",
    "{}",
    "[null]",
    "[{}]",
    "{\"a\":1}",
    "\"index\":0",
    "\"delta\":{}",
    "\"finish_reason\":\"stop\"",
    "\"usage\":{}",
    ",",
    ":",
    "}",
    "]",
    "\"id\":\"\"",
    "\"tool_calls\":[{}]",
    "\"error\":null",
    "\\u0000",
    "\"choices\":[]",
    "é"
  };

  @Test
  void damagedStreamsComeOutInOrder() {
    Seeds.forEach(
        random -> {
          byte[] stream = damaged(random, stream(random));
          RelayedStream whole = RelayedStream.of(stream, Cut.WHOLE);
          assertThat(AcceptedChunks.unruly(whole.view().chunks(), whole.isComplete())).isEmpty();
          assertThat(RelayedStream.of(stream, Cut.random(random)).text()).isEqualTo(whole.text());
        });
  }

  @Test
  void damagedRepliesAreRepliesOrNot() {
    Seeds.forEach(
        random -> {
          byte[] body = damaged(random, reply(random));
          switch (ChatReply.read(Samples.stamp(), body, body.length)) {
            case WholeReply.Read.Fine fine -> {
              ByteBuf out = Unpooled.buffer();
              fine.reply().writeTo(Usage.estimate(1, 1), new MicroUsd(5), out);
              var got = ClientView.tree(out.toString(StandardCharsets.UTF_8));
              assertThat(got.path("usage").path("x_llm_cost_micro").intValue()).isEqualTo(5);
              assertThat(got.path("choices")).isNotEmpty();
              assertThat(got.path("provider").asText()).isEqualTo("acme-eu");
              assertThat(got.has("error")).isFalse();
            }
            case WholeReply.Read.ErrorObject _,
                WholeReply.Read.Malformed _,
                WholeReply.Read.Filtered _ -> {}
          }
        });
  }

  @Test
  void damagedRequestsAreAcceptedOrRefusedAndStayJson() {
    Seeds.forEach(
        random -> {
          byte[] body = damaged(random, ChatBodies.with(request(random)));
          switch (ChatRequest.parse(body, body.length)) {
            case ParseResult.Valid<ChatRequest> valid -> {
              ClientView.tree(ChatBodies.upstream(valid.request(), random.nextBoolean()));
              assertThat(valid.request().estimate(Samples.model()).isPositive()).isTrue();
            }
            case ParseResult.Refused<ChatRequest> refused ->
                assertThat(refused.fault().code().status()).isIn(400, 501);
          }
        });
  }

  @Test
  void everyErrorBodyIsSomeFailure() {
    Seeds.forEach(
        random -> {
          String error =
              "{\"error\":{\"message\":\"m\",\"code\":400,\"details\":[{\"retryDelay\":\"3s\"}],"
                  + "\"detail\":[{\"loc\":[\"body\",0],\"msg\":\"m\"}],\"innererror\":{\"code\":1}}}";
          byte[] body = damaged(random, random.nextBoolean() ? error : value(random));
          Dialect dialect = Dialects.named("openai");
          UpstreamFailure failure =
              dialect.failure(400 + random.nextInt(200), Headers.EMPTY, body, body.length);
          assertThat(failure.retryAfterSeconds()).isBetween(0, 60);
          assertThat(dialect.failureInside(body, 0, body.length).message()).isNotNull();
        });
  }

  private static String stream(Random random) {
    List<String> events = new ArrayList<>();
    events.add(Chunks.role());
    int more = random.nextInt(12);
    for (int i = 0; i < more; i++) {
      events.add(event(random));
    }
    if (random.nextInt(4) > 0) {
      events.add(Chunks.finish("stop"));
      events.add(Chunks.LAST);
      events.add(Chunks.DONE);
    }
    if (random.nextInt(4) == 0) {
      Collections.shuffle(events, random);
    }
    return Chunks.stream(events.toArray(String[]::new));
  }

  private static String event(Random random) {
    return switch (random.nextInt(7)) {
      case 0 -> Chunks.text(String.valueOf(random.nextInt()));
      case 1 -> Chunks.calls("{\"index\":" + random.nextInt(3) + ",\"id\":\"a\"}");
      case 2 -> Chunks.calls(value(random));
      case 3 -> Chunks.delta("\"content\":" + value(random));
      case 4 -> Chunks.root("[{\"delta\":" + value(random) + "}],\"x\":" + value(random));
      case 5 -> Chunks.root(value(random) + ",\"usage\":" + value(random));
      default -> value(random);
    };
  }

  private static String reply(Random random) {
    return "{\"choices\":[{\"index\":0,\"message\":{\"content\":"
        + value(random)
        + "},\"finish_reason\":"
        + value(random)
        + "}],\"usage\":"
        + value(random)
        + ",\"x\":"
        + value(random)
        + "}";
  }

  private static String request(Random random) {
    String[] names = {"stream", "n", "stop", "tools", "routing", "stream_options", "logit_bias"};
    return "\"" + names[random.nextInt(names.length)] + "\":" + value(random) + ",\"stream\":true";
  }

  private static String value(Random random) {
    return random.nextInt(3) == 0
        ? PIECES[random.nextInt(12)]
        : RandomJson.value(random, 3).replace('\n', ' ').replace('\r', ' ');
  }

  /** Returns the text with up to three places cut, doubled, overwritten or filled with pieces. */
  private static byte[] damaged(Random random, String text) {
    StringBuilder damaged = new StringBuilder(text);
    int wounds = random.nextInt(4);
    for (int i = 0; i < wounds && !damaged.isEmpty(); i++) {
      int at = random.nextInt(damaged.length());
      int to = Math.min(damaged.length(), at + random.nextInt(20));
      switch (random.nextInt(4)) {
        case 0 -> damaged.delete(at, to);
        case 1 -> damaged.insert(at, damaged.substring(at, to));
        case 2 -> damaged.insert(at, PIECES[random.nextInt(PIECES.length)]);
        default -> damaged.setCharAt(at, (char) (random.nextInt(96) + 32));
      }
    }
    byte[] bytes = damaged.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0 && random.nextInt(8) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }
}
