package dev.tollgate.core.api.responses;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A provider's whole chat completion as a response object. */
class ResponsesReplyTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'name':'f','arguments':'{`a`:1}'} | {'a':1}",
        "{'name':'f','arguments':{'a':1}} | {'a':1}",
        "{'name':'f','arguments':null} | {}",
        "{'name':'f','arguments':''} | {}",
        "{'name':'f'} | {}",
      })
  void theArgumentsOfACallAreText(String function, String arguments) {
    String sent = function.replace("`", "\\\"");
    String message = "'message':{'role':'assistant','tool_calls':[{'function':" + sent + "}]}";
    String body = "{'choices':[{'index':0," + message + ",'finish_reason':'tool_calls'}]}";
    JsonNode call = written(body.replace('\'', '"')).path("output").path(0);
    assertThat(call.path("type").asText()).isEqualTo("function_call");
    assertThat(call.path("call_id").asText()).startsWith("call_");
    assertThat(call.path("arguments").asText()).isEqualTo(arguments.replace('\'', '"'));
  }

  private static JsonNode written(String body) {
    ReplyStamp stamp = Samples.stamp();
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    var response = new ResponseObject(stamp, JsonBytes.raw("[]"));
    WholeReply.Read read =
        ChatReply.read(
            stamp, bytes, bytes.length, chat -> new ResponsesReply(chat, stamp, response));
    ByteBuf out = Unpooled.buffer();
    ((WholeReply.Read.Fine) read).reply().writeTo(Usage.ofTokens(1, 1), new MicroUsd(1), out);
    return ClientView.tree(out.toString(StandardCharsets.UTF_8));
  }
}
