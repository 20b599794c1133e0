package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.testkit.AwsEventFrames;
import dev.tollgate.core.testkit.AwsSignature;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Bedrock in an exchange: signed attempts, relayed frames, distinguished exceptions. */
class BedrockExchangeTest {
  private static final String SECRET = "s/e+c";
  private static final String HEAD =
      OpenAiWire.STREAM_HEAD.replace("text/event-stream", "application/vnd.amazon.eventstream");

  private static Provider bedrock(String name) {
    Provider p = TestCatalog.ofDialect("bedrock", name);
    var keys = new AwsCredentials("us-east-1", "AKID", new Secret(SECRET), Optional.empty());
    return new Provider(
        p.id(),
        p.dialect(),
        p.endpoint(),
        p.basePath(),
        List.of(Credential.of(keys.packed())),
        p.headers(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect(),
        p.eventBytesMax());
  }

  private static AwsEventFrames begun() {
    return new AwsEventFrames()
        .event("messageStart", "{\"role\":\"assistant\"}")
        .event("contentBlockDelta", "{\"contentBlockIndex\":0,\"delta\":{\"text\":\"Hello\"}}");
  }

  private static byte[] chunk(byte[] bytes) {
    byte[] head = (Integer.toHexString(bytes.length) + "\r\n").getBytes(UTF_8);
    byte[] chunk = new byte[head.length + bytes.length + 2];
    System.arraycopy(head, 0, chunk, 0, head.length);
    System.arraycopy(bytes, 0, chunk, head.length, bytes.length);
    chunk[chunk.length - 2] = '\r';
    chunk[chunk.length - 1] = '\n';
    return chunk;
  }

  /** Whether AWS would take a request at the scenario's time. */
  private static boolean isSigned(String request) {
    int end = request.indexOf("\r\n\r\n");
    List<String> lines = request.substring(0, end).lines().toList();
    Map<String, String> head = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      int colon = line.indexOf(':');
      head.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    assertThat(head).containsEntry("x-amz-date", "20260301T120000Z");
    String target = lines.getFirst().split(" ", -1)[1];
    byte[] body = request.substring(end + 4).getBytes(UTF_8);
    return AwsSignature.isValid("POST", target, head, body, SECRET, "bedrock");
  }

  @Test
  void aStreamOfFramesIsTheClientsAndIsCharged() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askStream();
      assertThat(scenario.link(0).received())
          .startsWith("POST /model/one-at-beta/converse-stream HTTP/1.1\r\n")
          .contains("accept: application/vnd.amazon.eventstream\r\n");
      assertThat(isSigned(scenario.link(0).received())).isTrue();
      byte[] end =
          new AwsEventFrames()
              .event("contentBlockStop", "{\"contentBlockIndex\":0}")
              .event("messageStop", "{\"stopReason\":\"max_tokens\"}")
              .event("metadata", "{\"usage\":{\"inputTokens\":5,\"outputTokens\":3}}")
              .bytes();
      scenario.link(0).send(HEAD).send(chunk(begun().bytes())).send(chunk(end));
      scenario.link(0).send(OpenAiWire.LAST_CHUNK);

      ClientView view = ClientView.of(client.text());
      assertThat(view.text()).isEqualTo("Hello");
      assertThat(view.finish()).isEqualTo("length");
      assertThat(view.done()).isTrue();
      assertThat(scenario.served().usage().estimated()).isFalse();
      assertThat(scenario.served().cost().value()).isEqualTo(11);
    }
  }

  @Test
  void aLargeBodyIsSignedWhole() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")), 8 << 20)) {
      String text = "words ".repeat(60_000);
      scenario.ask(TestCatalog.STREAM_REQUEST.replace("Say something.", text));
      String received = scenario.link(0).received();
      assertThat(received).contains(text);
      assertThat(isSigned(received)).isTrue();
      scenario
          .link(0)
          .send(HEAD)
          .send(chunk(begun().bytes()))
          .send(
              chunk(
                  new AwsEventFrames()
                      .event("messageStop", "{\"stopReason\":\"end_turn\"}")
                      .bytes()))
          .send(OpenAiWire.LAST_CHUNK);
      assertThat(scenario.served().attempts().getFirst().outcome()).isEqualTo("ok");
    }
  }

  /** A closed connection gets no write, so that no later event would report it. */
  @Test
  void aReusedConnectionThatClosesWhileTheBodyIsHashedCostsNoTry() {
    requireSentAgain(ProviderLink::fin);
    requireSentAgain(ProviderLink::reset);
  }

  @Test
  void soDoesOneThatBringsUnaskedBytesMeanwhile() {
    requireSentAgain(link -> link.send("HTTP/1.1 408 Request Timeout\r\n\r\n"));
  }

  private static void requireSentAgain(Consumer<ProviderLink> spoilt) {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")), 8 << 20)) {
      byte[] end =
          new AwsEventFrames().event("messageStop", "{\"stopReason\":\"end_turn\"}").bytes();
      EventLoop loop = scenario.askStream().loop();
      ProviderLink used = scenario.link(0).send(HEAD).send(chunk(begun().bytes()));
      used.send(chunk(end)).send(OpenAiWire.LAST_CHUNK);
      assertThat(scenario.leased()).isZero();

      loop.execute(() -> onceLeased(scenario, loop, () -> spoilt.accept(used)));
      RecordedClient client = scenario.ask(large());
      assertThat(used.requests()).isOne();
      assertThat(isSigned(scenario.link(1).received())).isTrue();
      scenario.link(1).send(HEAD).send(chunk(begun().bytes()));
      scenario.link(1).send(chunk(end)).send(OpenAiWire.LAST_CHUNK);
      assertThat(ClientView.of(client.text()).text()).isEqualTo("Hello");
      assertThat(scenario.lastServed().attempts()).extracting("outcome").containsExactly("ok");
    }
  }

  /** Something happens as soon as a lease is held, amid what the loop is doing then. */
  private static void onceLeased(Scenario scenario, EventLoop loop, Runnable what) {
    if (scenario.leased() == 0) {
      loop.execute(() -> onceLeased(scenario, loop, what));
    } else {
      what.run();
    }
  }

  /** More than is hashed at once. */
  private static String large() {
    return TestCatalog.STREAM_REQUEST.replace("Say something.", "words ".repeat(60_000));
  }

  @Test
  void anExceptionBeforeContentIsNoReplyAndEachTryIsSigned() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta"), bedrock("gamma")))) {
      RecordedClient client = scenario.askStream();
      byte[] slow =
          new AwsEventFrames()
              .event("messageStart", "{\"role\":\"assistant\"}")
              .exception("throttlingException", "{\"message\":\"slow down\"}")
              .bytes();
      scenario.link(0).send(HEAD).send(chunk(slow));
      assertThat(isSigned(scenario.link(1).received())).isTrue();
      scenario.link(1).send(HEAD).send(chunk(begun().bytes()));
      scenario
          .link(1)
          .send(
              chunk(
                  new AwsEventFrames()
                      .event("messageStop", "{\"stopReason\":\"end_turn\"}")
                      .bytes()))
          .send(OpenAiWire.LAST_CHUNK);

      assertThat(ClientView.of(client.text()).text()).isEqualTo("Hello");
      assertThat(scenario.served().attempts())
          .extracting(RequestRecord.AttemptRecord::outcome)
          .containsExactly("rate_limited", "ok");
    }
  }

  @Test
  void anExceptionBehindContentBreaksTheStream() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askStream();
      byte[] broken =
          begun().exception("modelStreamErrorException", "{\"message\":\"oops\"}").bytes();
      scenario.link(0).send(HEAD).send(chunk(broken));
      assertThat(client.text()).contains("Hello");
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
    }
  }

  @Test
  void aDamagedFrameBreaksTheStream() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askStream();
      byte[] damaged = new AwsEventFrames().event("contentBlockStop", "{}").bytes();
      damaged[damaged.length - 6] ^= 1;
      scenario.link(0).send(HEAD).send(chunk(begun().bytes())).send(chunk(damaged));
      assertThat(client.text()).contains("Hello");
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      assertThat(scenario.served().attempts())
          .extracting(RequestRecord.AttemptRecord::outcome)
          .containsExactly("interrupted");
    }
  }

  @Test
  void aFrameThatIsCutOffIsNoEnd() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askStream();
      byte[] stop =
          new AwsEventFrames().event("messageStop", "{\"stopReason\":\"end_turn\"}").bytes();
      byte[] half = Arrays.copyOf(stop, stop.length / 2);
      scenario.link(0).send(HEAD).send(chunk(begun().bytes())).send(chunk(half));
      scenario.link(0).send(OpenAiWire.LAST_CHUNK);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_DISCONNECT);
    }
  }

  /** Behind the finish, where the usage would have been. */
  @Test
  void aFrameThatIsCutOffBehindTheFinishIsOdd() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askStream();
      byte[] stop =
          new AwsEventFrames().event("messageStop", "{\"stopReason\":\"end_turn\"}").bytes();
      byte[] usage =
          new AwsEventFrames()
              .event("metadata", "{\"usage\":{\"inputTokens\":5,\"outputTokens\":3}}")
              .bytes();
      byte[] half = Arrays.copyOf(usage, usage.length / 2);
      scenario.link(0).send(HEAD).send(chunk(begun().bytes())).send(chunk(stop)).send(chunk(half));
      scenario.link(0).send(OpenAiWire.LAST_CHUNK);
      assertThat(ClientView.of(client.text()).done()).isTrue();
      assertThat(scenario.served().usage().estimated()).isTrue();
      assertThat(scenario.served().attempts().getFirst().anomalies())
          .containsExactly(ProtocolAnomaly.CUT_OFF);
    }
  }

  /** A mark that its model does not take is the request's fault, not that of the key. */
  @Test
  void aDenialOfACacheLeavesTheKeyInUse() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askPlain();
      scenario
          .link(0)
          .send(
              OpenAiWire.response(
                  403,
                  "Forbidden",
                  "x-amzn-errortype: AccessDeniedException\r\n",
                  "{\"message\":\"You invoked an unsupported model or your request did not allow"
                      + " prompt caching.\"}"));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      RecordedClient next = scenario.askPlain();
      scenario
          .link(0)
          .send(
              OpenAiWire.response(
                  200,
                  "OK",
                  "",
                  "{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":"
                      + "[{\"text\":\"Hi.\"}]}},\"stopReason\":\"end_turn\","
                      + "\"usage\":{\"inputTokens\":2,\"outputTokens\":3}}"));
      assertThat(next.whole().status()).isEqualTo(200);
    }
  }

  /** The canonical usage carries what was written to the cache for an hour. */
  @Test
  void whatWasWrittenForAnHourIsChargedAsThat() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askPlain();
      scenario
          .link(0)
          .send(
              OpenAiWire.response(
                  200,
                  "OK",
                  "",
                  "{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":"
                      + "[{\"text\":\"Hi.\"}]}},\"stopReason\":\"end_turn\","
                      + "\"usage\":{\"inputTokens\":10,\"outputTokens\":1,"
                      + "\"cacheWriteInputTokens\":5000,\"cacheDetails\":"
                      + "[{\"ttl\":\"1h\",\"inputTokens\":5000}]}}"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().usage().cacheWrite1hTokens()).isEqualTo(5000);
    }
  }

  @Test
  void aPlainReplyIsACompletion() {
    try (var scenario = Scenario.of(TestCatalog.of(bedrock("beta")))) {
      RecordedClient client = scenario.askPlain();
      assertThat(scenario.link(0).received()).startsWith("POST /model/one-at-beta/converse HTTP");
      assertThat(isSigned(scenario.link(0).received())).isTrue();
      scenario
          .link(0)
          .send(
              OpenAiWire.response(
                  200,
                  "OK",
                  "",
                  "{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":"
                      + "[{\"text\":\"Hi.\"}]}},\"stopReason\":\"guardrail_intervened\","
                      + "\"usage\":{\"inputTokens\":2,\"cacheReadInputTokens\":2,"
                      + "\"cacheWriteInputTokens\":1,\"outputTokens\":3,\"totalTokens\":5}}"));
      assertThat(client.whole().body())
          .contains("\"content\":\"Hi.\"", "\"finish_reason\":\"content_filter\"")
          .contains("\"prompt_tokens\":5", "\"cached_tokens\":2", "\"total_tokens\":8");
    }
  }
}
