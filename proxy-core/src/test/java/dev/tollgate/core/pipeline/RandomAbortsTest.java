package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.Seeds;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that disconnect at any point leave no resources behind. */
final class RandomAbortsTest {
  private static final int CLIENTS = 200;

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void leaveNothingBehind(Transport transport) {
    Seeds.forEach(1, random -> leavesNothingBehind(transport, random));
  }

  private static void leavesNothingBehind(Transport transport, Random random) throws Exception {
    try (TestGateway gateway = new TestGateway(transport)) {
      gateway.service.script(call -> answerSomehow(call, new Random(call.request.body().length())));
      List<RawClient> open = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        RawClient client = gateway.connect();
        sendSomething(client, gateway, random);
        open.add(client);
        if (random.nextInt(3) > 0) {
          leave(open.remove(random.nextInt(open.size())), random);
        }
      }
      open.forEach(client -> leave(client, random));
      gateway.awaitNoConnection();
      assertThat(gateway.inflightBytes.held()).isZero();
      assertThat(gateway.gauges().byPhase().values()).containsOnly(0);
      assertThat(gateway.gauges().accepted()).isEqualTo(CLIENTS);
    }
  }

  private static void sendSomething(RawClient client, TestGateway gateway, Random random) {
    String body = "{\"x\":\"" + "y".repeat(random.nextInt(40_000)) + "\"}";
    String request =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
            + (random.nextInt(8) > 0 ? "Content-Type: application/json\r\n" : "")
            + (random.nextInt(8) > 0 ? gateway.keys.authorization() + "\r\n" : "")
            + (random.nextBoolean()
                ? "Content-Length: " + body.length() + "\r\n\r\n" + body
                : "Transfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(body.length())
                    + "\r\n"
                    + body
                    + "\r\n0\r\n\r\n");
    byte[] all = request.repeat(1 + random.nextInt(3)).getBytes(US_ASCII);
    int cut = random.nextInt(3) == 0 ? random.nextInt(all.length) : all.length;
    try {
      client.send(Arrays.copyOf(all, cut));
    } catch (UncheckedIOException _) {
      // a request in front of it ended the connection
    }
  }

  private static void leave(RawClient client, Random random) {
    switch (random.nextInt(3)) {
      case 0 -> client.reset();
      case 1 -> {
        client.halfClose();
        client.readToEnd();
        client.close();
      }
      default -> client.close();
    }
  }

  private static void answerSomehow(Call call, Random random) {
    switch (random.nextInt(5)) {
      case 0 -> call.answer(200, "{\"z\":\"" + "z".repeat(random.nextInt(30_000)) + "\"}");
      case 1 -> call.refuse(Fault.of(ErrorCode.PROVIDER_TIMEOUT, "late"));
      case 2 -> {
        call.open();
        call.event("one");
        call.end();
      }
      case 3 -> {
        call.open();
        call.event("one");
        call.refuse(Fault.of(ErrorCode.STREAM_INTERRUPTED, "gone"));
      }
      default -> {} // never: the client disconnects first
    }
  }
}
