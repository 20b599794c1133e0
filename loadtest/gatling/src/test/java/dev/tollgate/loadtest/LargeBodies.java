package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.ByteArrayBody;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.randomSwitch;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.gatling.javaapi.core.ChainBuilder;
import java.time.Duration;

/**
 * Prompts of megabytes beside small ones. The mock provider counts one token for four bytes of the
 * body, so that the usage shows whether all of it arrived.
 */
public final class LargeBodies extends LoadSimulation {
  private static final int MIB = 1 << 20;

  public LargeBodies() {
    load(
            Pace.usually(8, Duration.ofSeconds(30)),
            LargeBodies::each,
            once(
                scenario("afterwards")
                    .pause(Duration.ofSeconds(2))
                    .exec(
                        Metrics.look(
                            "no body is left in memory",
                            gateway.adminUrl(),
                            "tollgate_inflight_bytes",
                            bytes -> bytes.is(0.0)))))
        .assertions(
            noneFails(),
            p99("chat", Duration.ofMillis(500)),
            p99("chat of 9 MiB", Duration.ofSeconds(2)));
  }

  private static ChainBuilder each(String phase) {
    return randomSwitch()
        .on(
            percent(70).then(exec(Requests.chat(phase + "chat", "load/chat"))),
            percent(20).then(large(phase, 1)),
            percent(10).then(large(phase, 9)));
  }

  private static ChainBuilder large(String phase, int mib) {
    byte[] body = Requests.body("load/chat", filler(mib * MIB)).getBytes(UTF_8);
    return exec(
        http(phase + "chat of " + mib + " MiB")
            .post(Requests.CHAT)
            .body(ByteArrayBody(body))
            .check(
                status().is(200),
                jsonPath("$.usage.prompt_tokens").ofInt().gte(mib * MIB / 4),
                jsonPath("$.usage.completion_tokens").ofInt().is(Requests.TOKENS)));
  }

  /** Returns a member of this size that is unknown to every provider. */
  private static String filler(int bytes) {
    return "\"x_filler\":\"" + "0123456789abcdef".repeat(bytes / 16) + "\",";
  }
}
