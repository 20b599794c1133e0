package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.fault.Fault;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory of a body's lists: a body within its size limit cannot make them many times larger. */
class HugeListsTest {
  private static final int BODY_BYTES = 10 * 1024 * 1024;
  private static final long ALLOCATED_BYTES_MAX = 16L * 1024 * 1024;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final String MODEL = "{\"model\":\"a/b\",";
  private static final String MESSAGES =
      MODEL + "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],";

  @Test
  void tooManyElementsAreRefusedWithoutMemoryForThem() {
    assertRefused(body(MODEL + "\"messages\":[", "0,", "0]}"), "messages");
    assertRefused(body(MESSAGES + "\"stop\":[", "\"\",", "\"\"]}"), "stop");
    assertRefused(body(MESSAGES + "\"tools\":[", "{},", "{}]}"), "tools");
    assertRefused(body(MESSAGES + "\"routing\":{\"only\":[", "0,", "0]}}"), "routing.only");
    assertRefused(
        body(MODEL + "\"messages\":[{\"role\":\"user\",\"content\":[", "{},", "{}]}]}"),
        "messages[0].content");
  }

  @Test
  void tooManyMembersToo() {
    assertRefused(body(MODEL + "\"messages\":[{", "\"\":0,", "\"\":0}]}"), "messages[0]");
    assertRefused(body(MESSAGES + "\"logit_bias\":{", "\"\":0,", "\"\":0}}"), "logit_bias");
    assertRefused(body(MESSAGES + "\"routing\":{", "\"\":0,", "\"\":0}}"), "routing");
    assertRefused(body(MESSAGES + "\"stream_options\":{", "\"\":0,", "\"\":0}}"), "stream_options");
    assertRefused(
        body(MESSAGES + "\"response_format\":{", "\"\":0,", "\"\":0}}"), "response_format");
    assertRefused(body(MESSAGES + "\"tools\":[{", "\"\":0,", "\"\":0}]}"), "tools[0]");
    assertRefused(
        body(
            MESSAGES + "\"tools\":[{\"type\":\"function\",\"function\":{", "\"\":0,", "\"\":0}}]}"),
        "tools[0].function");
    assertRefused(
        body(MODEL + "\"messages\":[{\"role\":\"user\",\"content\":[{", "\"\":0,", "\"\":0}]}]}"),
        "messages[0].content[0]");
  }

  @Test
  void wrongElementsCostNothingBeyondTheFirst() {
    String few = "{\"role\":\"user\",\"content\":[" + "0,".repeat(60_000) + "0]},";
    assertRefused(body(MODEL + "\"messages\":[", few, "0]}"), "messages[0].content[0]");
  }

  @Test
  void whatWeDoNotReadMayBeAnything() {
    byte[] body = body(MESSAGES + "\"input\":[", "0,", "0]}");
    assertThat(ChatRequest.parse(body, body.length)).isInstanceOf(ParseResult.Valid.class);
  }

  @Test
  void asManyAsAreReadAreAccepted() {
    String bias = "\"7\":1,".repeat(65_535) + "\"7\":1";
    ChatBodies.valid(ChatBodies.with("\"logit_bias\":{" + bias + "}"));
    Fault fault = ChatBodies.refused(ChatBodies.with("\"logit_bias\":{" + bias + ",\"7\":1}"));
    assertThat(fault.message()).contains("65,536");
  }

  private static byte[] body(String start, String each, String end) {
    int times = (BODY_BYTES - start.length() - end.length()) / each.length();
    return (start + each.repeat(times) + end).getBytes(StandardCharsets.US_ASCII);
  }

  private static void assertRefused(byte[] body, String param) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    ParseResult<ChatRequest> parsed = ChatRequest.parse(body, body.length);
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    List<Fault> refused =
        parsed instanceof ParseResult.Refused<ChatRequest> of ? List.of(of.fault()) : List.of();
    assertThat(refused).as(param).extracting(Fault::param).containsExactly(param);
    assertThat(allocated).as(param).isLessThan(ALLOCATED_BYTES_MAX);
  }
}
