package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.pipeline.LoadShedder.Verdict;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests, connections and their counts while a node is overloaded. */
final class OverloadTest {
  private final TestGateway gateway = new TestGateway(Transport.auto());
  private final String key = gateway.keys.authorization();

  @AfterEach
  void close() {
    gateway.close();
  }

  @Test
  void aRequestIsShedByItsHeadBeforeItsKeyIsChecked() throws Exception {
    gateway.load.verdict = new Shed(3);
    try (RawClient client = gateway.connect()) {
      RawResponse response = client.post("/v1/chat/completions", "{}").readResponse();
      assertShed(response, "3");
      gateway.load.verdict = Verdict.SERVE;
      assertThat(client.get("/v1/models", key).readResponse().status()).isEqualTo(200);
    }
    RequestRecord record = gateway.awaitRecord();
    assertThat(record.outcome()).isEqualTo(RequestOutcome.SHED);
    assertThat(record.key()).isNull();
    assertThat(record.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
  }

  @Test
  void unknownPathsAndBrokenHeadsGetTheirOwnErrors() {
    gateway.load.verdict = new Shed(1);
    try (RawClient client = gateway.connect()) {
      assertThat(client.get("/v1/nothing", key).readResponse().status()).isEqualTo(404);
      client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(client.readResponse().status()).isEqualTo(415);
    }
  }

  @Test
  void aClientThatWaitsToSendItsBodyNeedNot() {
    gateway.load.verdict = new Shed(5);
    try (RawClient client = gateway.connect()) {
      client.send(
          """
          POST /v1/chat/completions HTTP/1.1\r
          Host: a\r
          Content-Type: application/json\r
          Expect: 100-continue\r
          Content-Length: 9000000\r
          \r
          """);
      assertShed(client.readResponse(), "5");
    }
  }

  @Test
  void anOrganizationAboveItsFairShareIsShedAfterAuthentication() throws Exception {
    gateway.load.shedEnteringSeconds = 2;
    try (RawClient client = gateway.connect()) {
      assertThat(client.get("/v1/models").readResponse().status()).isEqualTo(401);
      assertShed(client.get("/v1/models", key).readResponse(), "2");
    }
    assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.REJECTED);
    RequestRecord record = gateway.awaitRecord();
    assertThat(record.outcome()).isEqualTo(RequestOutcome.SHED);
    assertThat(record.key()).isNotNull();
  }

  @Test
  void aRequestIsCountedUntilItsReplyHasEnded() throws Exception {
    gateway.service.hold();
    try (RawClient client = gateway.connect()) {
      client.post("/v1/chat/completions", "{}", key);
      Call call = gateway.service.awaitCall();
      assertThat(gateway.load.running).hasValue(1);
      call.open();
      call.event("one");
      client.readUntil("data: one\n\n\r\n");
      assertThat(gateway.load.running).hasValue(1);
      call.end();
      client.readUntil("0\r\n\r\n");
      gateway.awaitIdle();
      assertThat(gateway.load.running).hasValue(0);
    }
  }

  @Test
  void aRequestIsNotCountedAfterADisconnect() throws Exception {
    gateway.service.hold();
    try (RawClient client = gateway.connect()) {
      client.post("/v1/chat/completions", "{}", key);
      gateway.service.awaitCall();
      client.send("GET /v1/models HTTP/1.1\r\n");
    }
    gateway.awaitNoConnection();
    assertThat(gateway.load.running).hasValue(0);
  }

  @Test
  void aRequestThatWouldBeRefusedSendsNoBody() throws Exception {
    gateway.refusals.known =
        Fault.of(ErrorCode.INSUFFICIENT_CREDITS, "The organization's balance is used up.");
    try (RawClient client = gateway.connect()) {
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + key
              + "\r\nContent-Length: 11000000\r\n\r\n");
      RawResponse response = client.readResponse();
      assertThat(response.status()).isEqualTo(402); // and not 413, which would come next
      assertThat(response.header("x-should-retry")).isEqualTo("false");
    }
    assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.REJECTED);
    gateway.awaitNoConnection();
    assertThat(gateway.load.running).hasValue(0);
  }

  @Test
  void aRefusalByALimitHasTheLimitFields() {
    gateway.refusals.known = Fault.of(ErrorCode.RATE_LIMITED, "Used up.").withRetryAfter(1);
    gateway.refusals.fields = List.of(new Field("x-ratelimit-remaining-requests", "0"));
    try (RawClient client = gateway.connect()) {
      RawResponse response = client.post("/v1/chat/completions", "{}", key).readResponse();
      assertThat(response.status()).isEqualTo(429);
      assertThat(response.header("retry-after")).isEqualTo("1");
      assertThat(response.header("x-ratelimit-remaining-requests")).isEqualTo("0");
    }
    assertThat(gateway.service.calls).isEmpty();
  }

  @Test
  void lookupsNeedNoMoney() {
    gateway.refusals.known = Fault.of(ErrorCode.INSUFFICIENT_CREDITS, "Nothing is left.");
    try (RawClient client = gateway.connect()) {
      assertThat(client.get("/v1/credits", key).readResponse().status()).isEqualTo(200);
    }
  }

  @Test
  void onlyConnectionsBetweenRequestsMakeRoom() throws Exception {
    try (RawClient kept = gateway.connect();
        RawClient fresh = gateway.connect();
        RawClient busy = gateway.connect()) {
      assertThat(kept.get("/v1/models", key).readResponse().status()).isEqualTo(200);
      assertThat(busy.get("/v1/models", key).readResponse().status()).isEqualTo(200);
      gateway.service.calls.clear();
      gateway.service.hold();
      busy.get("/v1/models", key);
      Call call = gateway.service.awaitCall();
      gateway.gateway.closeIdle();
      assertThat(kept.readToEnd()).isEmpty();
      call.answer(200, "{}");
      assertThat(busy.readResponse().status()).isEqualTo(200);
      fresh.get("/v1/models", key);
      gateway.service.awaitCall().answer(200, "{}");
      assertThat(fresh.readResponse().status()).isEqualTo(200);
    }
  }

  @Test
  void newConnectionsWaitWhileAcceptingIsPaused() throws Exception {
    gateway.gateway.pauseAccepting();
    // What was asked for before may still come: epoll accepts one batch more.
    try (RawClient perhaps = gateway.connect();
        RawClient late = connectedLater()) {
      assertThat(perhaps).isNotSameAs(late);
      late.get("/v1/models", key);
      gateway.awaitLoops();
      assertThat(gateway.service.calls.poll(50, TimeUnit.MILLISECONDS)).isNull();
      gateway.gateway.resumeAccepting();
      assertThat(late.readResponse().status()).isEqualTo(200);
    }
  }

  /** A connection, made by the system when the loops have seen those before. */
  private RawClient connectedLater() throws Exception {
    for (int i = 0; i < 3; i++) { // a loop polls its sockets before or after a task
      gateway.awaitLoops();
    }
    return gateway.connect();
  }

  private static void assertShed(RawResponse response, String retryAfter) {
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.text()).contains("\"code\":\"service_unavailable\"");
    assertThat(response.header("retry-after")).isEqualTo(retryAfter);
    assertThat(response.header("x-should-retry")).isEqualTo("true");
    assertThat(response.header("x-request-id")).startsWith("req_");
  }
}
