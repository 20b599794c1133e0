package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The scripted upstream and the raw client tested against each other. */
class TestkitTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final String CHUNKED =
      String.join(
          "\r\n",
          "HTTP/1.1 200 OK",
          "Transfer-Encoding: chunked",
          "",
          "5",
          "hello",
          "6;x=y",
          " world",
          "0",
          "X-T: 1",
          "",
          "");

  @Test
  void answersEveryRequestOfAConnection() throws Exception {
    try (ScriptedUpstream upstream = ScriptedUpstream.replying(OK);
        RawClient client = RawClient.connect(upstream.port())) {
      assertThat(client.post("/v1/a", "{}").readResponse().text()).isEqualTo("ok");
      assertThat(client.get("/b", "X-A: 1", "x-a: 2").readResponse().status()).isEqualTo(200);

      assertThat(upstream.connections()).isOne();
      assertThat(upstream.request(0).text()).isEqualTo("{}");
      assertThat(upstream.request(0).target()).isEqualTo("/v1/a");
      assertThat(upstream.request(1).headers("X-A")).containsExactly("1", "2");
      assertThat(upstream.request(1).header("none")).isNull();
    }
  }

  @Test
  void decodesChunksSentByteByByteAndAtRandomSplits() throws Exception {
    decodesChunks(c -> c.expectRequest().sendSplit(1, CHUNKED));
    Seeds.forEach(
        20,
        random ->
            decodesChunks(c -> c.expectRequest().sendSplit(random, CHUNKED.getBytes(ISO_8859_1))));
  }

  private static void decodesChunks(ScriptedUpstream.Script script) {
    try (ScriptedUpstream upstream = ScriptedUpstream.start().onConnection(script);
        RawClient client = RawClient.connect(upstream.port())) {
      RawResponse response = client.post("/", "{}").readResponse();
      assertThat(response.text()).isEqualTo("hello world");
      assertThat(response.rawText()).isEqualTo(CHUNKED);
    }
  }

  @Test
  void aGateHoldsTheScriptUntilTheTestOpensIt() throws Exception {
    try (ScriptedUpstream upstream =
            ScriptedUpstream.start()
                .onConnection(
                    c -> c.expectRequest().send("one\n").gate("go").send("two\n").close());
        RawClient client = RawClient.connect(upstream.port())) {
      client.get("/");
      assertThat(client.readUntil("\n")).isEqualTo("one\n");
      upstream.awaitGate("go");
      upstream.open("go");
      assertThat(new String(client.readToEnd(), ISO_8859_1)).isEqualTo("two\n");
      assertThat(client.awaitClosed().how()).isEqualTo(PeerClose.How.FIN);
    }
  }

  @Test
  void aResetIsSeenAsAResetOnBothSides() throws Exception {
    try (ScriptedUpstream upstream =
        ScriptedUpstream.start()
            .onConnection(c -> c.expectRequest().reset())
            .onConnection(ScriptedConnection::stall)) {
      try (RawClient client = RawClient.connect(upstream.port())) {
        client.get("/");
        assertThat(client.awaitClosed().how()).isEqualTo(PeerClose.How.RST);
      }
      long beforeNanos = System.nanoTime();
      RawClient.connect(upstream.port()).send("x").reset();
      PeerClose seen = upstream.connection(1).awaitClosed(Duration.ofSeconds(5));
      assertThat(seen.how()).isEqualTo(PeerClose.How.RST);
      assertThat(seen.atNanos()).isGreaterThan(beforeNanos);
    }
  }

  @Test
  void aLeavingPeerEndsTheScriptWithoutFailingIt() throws Exception {
    try (ScriptedUpstream upstream =
        ScriptedUpstream.start().onConnection(c -> c.expectRequest().send(OK))) {
      RawClient.connect(upstream.port()).send("GET / HT").close();
      assertThat(upstream.awaitClosed(Duration.ofSeconds(5)).how()).isEqualTo(PeerClose.How.FIN);
      assertThat(upstream.requests()).isEmpty();
      assertThat(upstream.connection(0).received()).isEqualTo("GET / HT".getBytes(ISO_8859_1));
    }
  }

  @Test
  void aHalfClosedClientStillGetsItsAnswer() throws Exception {
    try (ScriptedUpstream upstream =
            ScriptedUpstream.start()
                .onConnection(
                    c -> {
                      c.expectRequest();
                      c.awaitClosed(Duration.ofSeconds(5));
                      c.send(OK).close();
                    });
        RawClient client = RawClient.connect(upstream.port())) {
      assertThat(client.get("/").halfClose().readResponse().text()).isEqualTo("ok");
    }
  }

  @Test
  void aFailedCheckFailsTheTestThatClosesTheUpstream() throws Exception {
    ScriptedUpstream upstream =
        ScriptedUpstream.start()
            .onConnection(
                c -> c.expectRequest(r -> assertThat(r.method()).isEqualTo("PUT")).send(OK));
    try (RawClient client = RawClient.connect(upstream.port())) {
      client.get("/");
      upstream.request(0);
    }
    upstream.awaitClosed(Duration.ofSeconds(5));
    assertThatThrownBy(upstream::close).isInstanceOf(AssertionError.class);
  }

  @Test
  void theNthConnectionRunsTheNthScriptAndTheLastOneServesTheRest() {
    try (ScriptedUpstream upstream =
        ScriptedUpstream.start()
            .onConnection(c -> c.send("a").close())
            .onConnection(c -> c.send("b").close())) {
      for (String expected : new String[] {"a", "b", "b"}) {
        try (RawClient client = RawClient.connect(upstream.port())) {
          assertThat(new String(client.readToEnd(), ISO_8859_1)).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void aReaderThatHoldsStopsAWriter() throws Exception {
    try (ScriptedUpstream upstream =
            ScriptedUpstream.start()
                .onConnection(c -> c.holdReading().gate("read").resumeReading().expectRequest());
        RawClient client = RawClient.connect(upstream.port())) {
      upstream.awaitGate("read");
      Thread writer = Thread.ofVirtual().start(() -> client.post("/", "x".repeat(8 << 20)));
      upstream.open("read");
      writer.join();
      assertThat(upstream.request(0).body()).hasSize(8 << 20);
    }
  }
}
