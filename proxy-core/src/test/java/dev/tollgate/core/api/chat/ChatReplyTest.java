package dev.tollgate.core.api.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A provider's whole reply as the client gets it. */
class ChatReplyTest {
  private static final Usage CHARGED = Usage.ofTokens(4, 2);
  private static final String MESSAGE = "\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"}";

  @Test
  void aReplyIsEditedAndNotWrittenAnew() {
    String body =
        " \n{ \"id\" : \"c1\",\"object\":\"chat.completion\",\"created\":7,\"model\":\"m1-2026\", "
            + "\"choices\":[{\"index\":0,"
            + MESSAGE
            + ",\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":4,"
            + "\"completion_tokens\":2,\"total_tokens\":6,\"cost\":0.10},\"x\":[1.0, {\"y\":null}]}";
    assertThat(written(body))
        .isEqualTo(
            "{ \"id\" : \"c1\",\"object\":\"chat.completion\",\"created\":7,\"model\":\"acme/m1\","
                + "\"provider\":\"acme-eu\",\"choices\":[{\"index\":0,"
                + MESSAGE
                + ",\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":4,"
                + "\"completion_tokens\":2,\"total_tokens\":6,\"cost\":0.10,\"x_llm_cost_micro\":9},"
                + "\"x\":[1.0, {\"y\":null}]}");
  }

  @Test
  void whatAProviderLeavesOutIsFilledIn() {
    String got = written("{\"choices\":[{" + MESSAGE + "}],\"error\":null,\"provider\":\"x\"}");
    assertThat(ClientView.tree(got))
        .isEqualTo(
            ClientView.tree(
                "{\"id\":\""
                    + Samples.stamp().fallbackId()
                    + "\",\"object\":\"chat.completion\",\"created\":"
                    + Samples.CREATED_SECONDS
                    + ",\"model\":\"acme/m1\",\"provider\":\"acme-eu\",\"choices\":[{\"index\":0,"
                    + MESSAGE
                    + ",\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":4,"
                    + "\"completion_tokens\":2,\"total_tokens\":6,\"x_llm_cost_micro\":9}}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | {'index':0,'message':{'role':'assistant','content':null},'finish_reason':'stop'}",
        "{'index':null,'message':null,'finish_reason':null}"
            + " | {'index':0,'message':{'role':'assistant','content':null},'finish_reason':'stop'}",
        "{'index':'0','message':{},'finish_reason':'max_tokens'}"
            + " | {'index':0,'message':{},'finish_reason':'length'}",
        "{'index':0,'message':{'a':[1]},'finish_reason':7,'b':{}}"
            + " | {'index':0,'message':{'a':[1]},'finish_reason':'stop','b':{}}",
        "{'finish_reason':'content_filter','index':0}"
            + " | {'finish_reason':'content_filter','index':0,"
            + "'message':{'role':'assistant','content':null}}",
        "{'message':{},'index':0,'finish_reason':'tool_calls'}"
            + " | {'message':{},'index':0,'finish_reason':'tool_calls'}"
      })
  void aChoiceGetsWhatSdksNeedAndKeepsTheRest(String sent, String got) {
    String body = "{\"choices\":[" + sent.replace('\'', '"') + "]}";
    assertThat(written(body)).contains("\"choices\":[" + got.replace('\'', '"') + "]");
  }

  @Test
  void severalChoicesStay() {
    String body = "{\"choices\":[{" + MESSAGE + "},{" + MESSAGE + "}]}";
    assertThat(ClientView.tree(written(body)).path("choices").findValuesAsText("index"))
        .containsExactly("0", "1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"m\"}}",
        "{\"error\":\"m\",\"choices\":[]}",
        "{\"object\":\"error\",\"message\":\"m\"}",
        "{\"detail\":\"m\"}",
        "{\"choices\":[{\"message\":{},\"finish_reason\":\"error\"}]}"
      })
  void anErrorInsideA200IsNoReply(String body) {
    assertThat(read(body)).isInstanceOf(WholeReply.Read.ErrorObject.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "<html>",
        "{}",
        "{\"choices\":null}",
        "{\"choices\":{}}",
        "{\"choices\":[]}",
        "{\"choices\":[1]}",
        "{\"choices\":[{\"message\":\"x\"}]}",
        "{\"choices\":[{\"message\":{}}]} {}",
        "{\"choices\":[{\"message\":{}}]"
      })
  void whatIsNoCompletionIsMalformed(String body) {
    assertThat(read(body)).isInstanceOf(WholeReply.Read.Malformed.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "{}", "[]", "7", "{\"prompt_tokens\":-1}"})
  void withoutSoundUsageOursIsWritten(String usage) {
    String body = "{\"choices\":[{" + MESSAGE + "}],\"usage\":" + usage + ",\"usage\":1}";
    WholeReply reply = fine(body);
    assertThat(reply.reportedUsage()).isEmpty();
    assertThat(reply.deliveredTokens()).isPositive();
    assertThat(written(reply, Usage.estimate(5, 1)))
        .contains(
            ",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1,\"total_tokens\":6,"
                + "\"x_llm_cost_micro\":9,\"x_llm_usage_estimated\":true}}");
  }

  @Test
  void aPromptThatExceedsTheContextIsNotBelieved() {
    String body =
        "{\"choices\":[{"
            + MESSAGE
            + "}],\"usage\":{\"prompt_tokens\":101,\"completion_tokens\":1,\"total_tokens\":102}}";
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    var read = (WholeReply.Read.Fine) ChatReply.read(Samples.stamp(100), bytes, bytes.length);
    assertThat(read.reply().reportedUsage()).isEmpty();
  }

  private static WholeReply.Read read(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return ChatReply.read(Samples.stamp(), bytes, bytes.length);
  }

  private static WholeReply fine(String body) {
    assertThat(read(body)).isInstanceOf(WholeReply.Read.Fine.class);
    return ((WholeReply.Read.Fine) read(body)).reply();
  }

  private static String written(String body) {
    return written(fine(body), CHARGED);
  }

  private static String written(WholeReply reply, Usage charged) {
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(charged, new MicroUsd(9), out);
    return out.toString(StandardCharsets.UTF_8);
  }
}
