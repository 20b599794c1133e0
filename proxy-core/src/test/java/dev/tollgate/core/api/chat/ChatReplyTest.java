package dev.tollgate.core.api.chat;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'arguments':{'a': [1,`\u00e9`]}} | {'arguments':'{`a`: [1,`\u00e9`]}'}",
        "{'name':'f'} | {'name':'f','arguments':'{}'}",
        "{'arguments':null,'name':'f'} | {'arguments':'{}','name':'f'}",
        "{'arguments':'','name':'f'} | {'arguments':'{}','name':'f'}",
        "{'arguments':[1]} | {'arguments':'[1]'}",
        "{'arguments':7} | {'arguments':'7'}",
        "{'arguments':'{} '} | {'arguments':'{} '}",
        "{'arguments':'not JSON'} | {'arguments':'not JSON'}",
      })
  void theArgumentsOfACallAreText(String sent, String got) {
    String call = "{'id':'c','type':'function','function':";
    assertThat(written(withCalls(call + sent.replace("`", "'") + "}")))
        .contains(("[" + call + got + "}]").replace("`", "\\\"").replace('\'', '"'));
    String older = "{'message':{'function_call':" + sent.replace("`", "'") + "}}";
    assertThat(written("{\"choices\":[" + older.replace('\'', '"') + "]}"))
        .contains(("'function_call':" + got + "}").replace("`", "\\\"").replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'function':{'arguments':'1'}} | {'id':'#_0','type':'function','function':{'arguments':'1'}}",
        "{'id':'','type':null} | {'id':'#_0','type':'function'}",
        "{'id':'a','custom':{'input':'x'}} | {'type':'custom','id':'a','custom':{'input':'x'}}",
        "{'id':'a','type':'custom','custom':{'input':7}} | {'id':'a','type':'custom','custom':{'input':7}}",
        "{'id':'a','type':'function','function':1} | {'id':'a','type':'function','function':1}",
        "null,{'type':'function','function':{'arguments':'1'}} | {'id':'#_1','type':'function','function':{'arguments':'1'}}",
      })
  void aCallGetsWhatSdksNeedAndKeepsTheRest(String sent, String got) {
    String id = Samples.stamp().callId(0).replaceFirst("_0$", "");
    assertThat(written(withCalls(sent)))
        .contains(("'tool_calls':[" + got + "],'x':1}").replace("#", id).replace('\'', '"'));
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[]", "{}", "'x'", "[7]"})
  void whatIsNoListOfCallsIsNoReasonToFail(String calls) {
    String body = withCalls("").replace("[],\"x\"", calls.replace('\'', '"') + ",\"x\"");
    assertThat(written(body)).contains("\"x\":1");
  }

  @Test
  void aReplyWithoutCallsTakesLittleHeap() {
    byte[] body =
        ("{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":"
                + "[{\"index\":0,"
                + MESSAGE
                + ",\"finish_reason\":\"stop\"}]}")
            .getBytes(StandardCharsets.UTF_8);
    heap(body); // one-time allocations
    assertThat(heap(body)).isLessThan(1_500);
  }

  /** Returns the bytes of heap for reading a reply. */
  private static long heap(byte[] body) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    var stamp = Samples.stamp();
    boolean fine = true;
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 1_000; i++) {
      fine &= ChatReply.read(stamp, body, body.length) instanceof WholeReply.Read.Fine;
    }
    long taken = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(fine).isTrue();
    return taken / 1_000;
  }

  private static String withCalls(String calls) {
    String message = "'message':{'role':'assistant','content':null,'tool_calls':[" + calls;
    return ("{'choices':[{'index':0," + message + "],'x':1},'finish_reason':'tool_calls'}]}")
        .replace('\'', '"');
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
