package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.HttpService;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A listener whose requests a service of its own answers. */
final class ServiceHandlerTest {
  private static final int BODY_BYTES_MAX = 10_000;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, Transport.NIO.ioHandlers());
  private final InflightBytes bodies = new InflightBytes(2 * BODY_BYTES_MAX);
  private final BlockingQueue<RequestRecord> records = new LinkedBlockingQueue<>();
  private final BlockingQueue<Held> held = new LinkedBlockingQueue<>();
  private final Gateway gateway =
      new Gateway(
          TestGateway.OPTIONS,
          new HttpService.ServicePorts(new Echo(), bodies, records::add, InstantSource.system()),
          null,
          loops,
          Transport.NIO,
          PooledByteBufAllocator.DEFAULT);
  private final int port = gateway.bind().toCompletableFuture().join().getPort();

  @AfterEach
  void close() {
    gateway.close().toCompletableFuture().join();
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void answersBodiesOfBothFramingsOnOneConnection() throws Exception {
    try (RawClient client = RawClient.connect(port)) {
      assertThat(client.get("/echo").readResponse().text()).isEqualTo("echo:");
      assertThat(client.post("/echo", "one").readResponse().text()).isEqualTo("echo:one");
      String large = "x".repeat(BODY_BYTES_MAX);
      String chunked =
          "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
              + Integer.toHexString(BODY_BYTES_MAX)
              + "\r\n"
              + large
              + "\r\n0\r\n\r\n";
      RawResponse response = client.send(chunked).readResponse();
      assertThat(response.text()).isEqualTo("echo:" + large);
      assertThat(response.header("x-request-id")).startsWith("req_");
    }
    assertThat(record().http().route()).isEqualTo("/echo");
    assertThat(bodies.held()).isZero();
  }

  @Test
  void aRefusedHeadCostsNoBodyAndKeepsTheConnection() throws Exception {
    try (RawClient client = RawClient.connect(port)) {
      RawResponse refused = client.post("/refused", "body").readResponse();
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.header("x-form")).isEqualTo("ours");
      assertThat(client.get("/echo").readResponse().status()).isEqualTo(200);
    }
    RequestRecord record = record();
    assertThat(record.http().route()).isEqualTo("/refused");
    assertThat(record.http().status()).isEqualTo(403);
    assertThat(record.code()).isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void theServiceRefusesLargeBodiesItself() {
    try (RawClient client = RawClient.connect(port)) {
      RawResponse fixed = client.post("/echo", "x".repeat(BODY_BYTES_MAX + 1)).readResponse();
      assertThat(fixed.status()).isEqualTo(413);
      String chunk = "1000\r\n" + "x".repeat(0x1000) + "\r\n";
      client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
      RawResponse chunked = client.send(chunk.repeat(3) + "0\r\n\r\n").readResponse();
      assertThat(chunked.status()).isEqualTo(413);
      assertThat(client.get("/echo").readResponse().status()).isEqualTo(200);
    }
    assertThat(bodies.held()).isZero();
  }

  @Test
  void brokenFramingIsRefusedInTheServicesForm() {
    try (RawClient client = RawClient.connect(port)) {
      RawResponse response = client.send("GET / HTTP/1.1\r\n\r\n").readResponse();
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.header("x-form")).isEqualTo("ours");
      assertThat(client.readToEnd()).isEmpty();
    }
  }

  @Test
  void bodiesShareABudget() throws Exception {
    String head = "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ";
    try (RawClient first = RawClient.connect(port);
        RawClient second = RawClient.connect(port);
        RawClient third = RawClient.connect(port)) {
      for (RawClient client : List.of(first, second)) {
        client.send(head + BODY_BYTES_MAX + "\r\n\r\n").readUntil("100 Continue\r\n\r\n");
      }
      RawResponse refused = third.send(head + "1\r\n\r\n").readResponse();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(record().outcome()).isEqualTo(RequestOutcome.SHED);
      first.send("x".repeat(BODY_BYTES_MAX));
      assertThat(first.readResponse().status()).isEqualTo(200);
      second.reset();
      assertThat(record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
    }
    loops.submit(() -> {}).sync(); // the record is made before the handlers behind it end
    assertThat(bodies.held()).isZero();
  }

  @Test
  void aDrainWaitsForWhatIsInWorkAndCutsItShort() throws Exception {
    try (RawClient client = RawClient.connect(port)) {
      client.get("/held");
      Held call = held.poll(10, TimeUnit.SECONDS);
      assertThat(call).isNotNull();
      gateway.stopAccepting();
      var drained = gateway.closed().toCompletableFuture();
      assertThat(drained).isNotDone();
      gateway.cutShort();
      assertThat(client.readResponse().status()).isEqualTo(503);
      client.close();
      drained.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClientThatLeavesIsAnnounced() throws Exception {
    RawClient client = RawClient.connect(port).get("/held");
    Held call = held.poll(10, TimeUnit.SECONDS);
    assertThat(call).isNotNull();
    client.close();
    assertThat(call.exits.poll(10, TimeUnit.SECONDS)).isEqualTo(DisconnectReason.ABORTED);
    assertThat(record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
  }

  @Test
  void anUnexpectedErrorIsA500() {
    try (RawClient client = RawClient.connect(port)) {
      assertThat(client.get("/broken").readResponse().status()).isEqualTo(500);
      assertThat(client.get("/echo").readResponse().status()).isEqualTo(200);
    }
  }

  private RequestRecord record() throws InterruptedException {
    RequestRecord record = records.poll(10, TimeUnit.SECONDS);
    if (record == null) {
      throw new AssertionError("nothing was recorded");
    }
    return record;
  }

  /** A request that is answered only when it is cut short. */
  private record Held(Downstream downstream, BlockingQueue<DisconnectReason> exits)
      implements Running {
    @Override
    public void clientDisconnected(DisconnectReason exit) {
      exits.add(exit);
    }

    @Override
    public void writabilityChanged() {}

    @Override
    public void cutShort(Fault fault) {
      downstream.send(new Reply.Refused(fault, List.of()));
      downstream.flush();
    }
  }

  /** A service that sends bodies back. */
  private final class Echo implements HttpService {
    @Override
    public Verdict judge(Request request) {
      String path = request.head().path();
      return switch (path) {
        case "/refused" ->
            new Verdict.Refused(path, Fault.of(ErrorCode.FORBIDDEN, "Refused by its head."));
        case "/held" -> new Verdict.Accepted(path, BODY_BYTES_MAX, (_, down) -> hold(down));
        case "/broken" ->
            new Verdict.Accepted(
                path,
                BODY_BYTES_MAX,
                (_, _) -> {
                  throw new IllegalStateException("a bug");
                });
        default -> new Verdict.Accepted(path, BODY_BYTES_MAX, this::answer);
      };
    }

    private Running hold(Downstream downstream) {
      Held call = new Held(downstream, new LinkedBlockingQueue<>());
      held.add(call);
      return call;
    }

    private Running answer(byte @Nullable [] body, Downstream downstream) {
      Reply reply =
          body == null
              ? refusal(Fault.of(ErrorCode.REQUEST_TOO_LARGE, "The body is too large."))
              : new Reply.Whole(
                  200,
                  "text/plain",
                  List.of(),
                  Unpooled.copiedBuffer("echo:" + new String(body, ISO_8859_1), ISO_8859_1));
      downstream.send(reply);
      downstream.flush();
      return new Held(downstream, new LinkedBlockingQueue<>());
    }

    @Override
    public Reply.Refused refusal(Fault fault) {
      return new Reply.Refused(fault, List.of(new Field("X-Form", "ours")));
    }
  }
}
