package dev.tollgate.core.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.egress.FetchScenario.PendingFetch;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Targets of a fetch: redirects, the addresses of names, and limits of concurrent fetches. */
class FetchTargetTest {
  private static final String URL = "https://good.example/cat.png?v=1#top";
  private static final byte[] IMAGE =
      "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n\u0089PNG\r\n\u001a\n........"
          .getBytes(ISO_8859_1);

  // Redirects

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void aRedirectIsFollowedAndResolvedAgain(int status) {
    try (var scene = new FetchScenario()) {
      scene.names.answer("other.example", "198.20.1.1");
      PendingFetch asked = scene.fetch(URL);
      scene
          .link(0)
          .send(
              "HTTP/1.1 "
                  + status
                  + " X\r\nLocation: //other.example/b\r\nSet-Cookie: a=b\r\n\r\n");
      scene.run();
      String second = scene.link(1).received();
      assertThat(second).startsWith("GET /b HTTP/1.1\r\nhost: other.example\r\n");
      assertThat(second).doesNotContainIgnoringCase("cookie").doesNotContain("referer");
      scene.link(1).send("HTTP/1.1 302 X\r\nLocation: c\r\n\r\n");
      scene.run();
      scene.link(2).send(IMAGE);
      scene.run();
      assertThat(asked.image().length()).isEqualTo(16);
      assertThat(scene.names.asked())
          .containsExactly("good.example", "other.example", "other.example");
    }
  }

  @Test
  void aLoopOfRedirectsEndsAfterThree() {
    try (var scene = new FetchScenario()) {
      PendingFetch asked = scene.fetch(URL);
      for (int n = 0; n < 4; n++) {
        scene.link(n).send("HTTP/1.1 302 Found\r\nLocation: /loop\r\n\r\n");
        scene.run();
      }
      assertThat(asked.failure()).isEqualTo(FetchOutcome.TOO_MANY_REDIRECTS);
      assertThat(scene.links()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "https://169.254.169.254/latest/, BLOCKED, SSRF_BLOCKED",
    "//10.0.0.1/, BLOCKED, SSRF_BLOCKED",
    "https://[::1]/, BLOCKED, SSRF_BLOCKED",
    "https://good.example:22/, BLOCKED, SSRF_BLOCKED",
    "https://localhost/, BLOCKED, SSRF_BLOCKED",
    "https://inner.example/, BLOCKED, SSRF_BLOCKED",
    "https://nowhere.example/, UNRESOLVED, VALIDATION_FAILED",
    "http://good.example/, INVALID, VALIDATION_FAILED",
    "http://93.184.216.34/, INVALID, VALIDATION_FAILED",
    "file:///etc/passwd, INVALID, VALIDATION_FAILED",
    "https://user@good.example/, INVALID, VALIDATION_FAILED",
    "https://b\u00fccher.example/, INVALID, VALIDATION_FAILED",
  })
  void aRedirectIsJudgedLikeTheUrlItself(String location, FetchOutcome outcome, ErrorCode code) {
    try (var scene = new FetchScenario()) {
      scene.names.answer("inner.example", "10.1.2.3");
      PendingFetch asked = scene.fetch(URL);
      byte[] head =
          ("HTTP/1.1 302 Found\r\nLocation: " + location + "\r\n\r\n").getBytes(ISO_8859_1);
      scene.link(0).send(head);
      scene.run();
      assertThat(asked.failure()).isEqualTo(outcome);
      assertThat(asked.failed().fault().code()).isEqualTo(code);
      assertThat(scene.connector.addresses()).containsExactly("93.184.216.34");
    }
  }

  // Addresses

  @Test
  void theAddressesAreTriedInTheOrderOfTheAnswer() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("good.example", "198.20.1.1,2606:4700::1,93.184.216.34");
      scene.connector.behavior("198.20.1.1", ConnectBehavior.REFUSES);
      scene.connector.behavior("2606:4700:0:0:0:0:0:1", ConnectBehavior.REFUSES);
      PendingFetch asked = scene.fetch(URL);
      assertThat(scene.connector.addresses())
          .containsExactly("198.20.1.1", "2606:4700:0:0:0:0:0:1", "93.184.216.34");
      asked.cancel();
    }
  }

  @Test
  void anUnreachableHostFails() {
    try (var scene = new FetchScenario()) {
      scene.connector.behavior("93.184.216.34", ConnectBehavior.REFUSES);
      PendingFetch asked = scene.fetch(URL);
      assertThat(asked.failure()).isEqualTo(FetchOutcome.UNREACHABLE);
      assertThat(asked.failed().fault().message()).doesNotContain("93.184");
    }
  }

  @Test
  void aServerThatClosesAtOnceIsBroken() {
    try (var scene = new FetchScenario()) {
      scene.connector.behavior("93.184.216.34", ConnectBehavior.CLOSES);
      PendingFetch asked = scene.fetch(URL);
      assertThat(asked.failure()).isEqualTo(FetchOutcome.BROKEN);
    }
  }

  @Test
  void oneBadAddressRefusesAll() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("good.example", "93.184.216.34,10.0.0.1");
      assertThat(scene.fetch(URL).failure()).isEqualTo(FetchOutcome.BLOCKED);
      scene.names.answer("good.example", "93.184.216.34,fd00::1");
      PendingFetch asked = scene.fetch(URL);
      assertThat(asked.failure()).isEqualTo(FetchOutcome.BLOCKED);
      assertThat(asked.failed().fault().message()).doesNotContain("fd00");
      assertThat(scene.connector.addresses()).isEmpty();
    }
  }

  @Test
  void tooManyAddressesAreRefused() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("good.example", "93.184.216.34" + ",93.184.216.34".repeat(15));
      scene.fetch(URL).cancel();
      scene.names.answer("good.example", "93.184.216.34" + ",93.184.216.34".repeat(16));
      assertThat(scene.fetch(URL).failure()).isEqualTo(FetchOutcome.BLOCKED);
      scene.names.answer("good.example", "");
      assertThat(scene.fetch(URL).failure()).isEqualTo(FetchOutcome.UNRESOLVED);
    }
  }

  @Test
  void aNameThatIsNotAnsweredWithinTwoSecondsIsGivenUp() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("good.example", "SILENT");
      PendingFetch asked = scene.fetch(URL);
      scene.passSeconds(1);
      assertThat(asked.outcome).isNull();
      scene.passSeconds(1);
      assertThat(asked.failure()).isEqualTo(FetchOutcome.UNRESOLVED);
    }
  }

  @Test
  void aNameThatResolvesDifferentlyIsNeverCalledElsewhere() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("rebind.example", "93.184.216.34", "127.0.0.1");
      PendingFetch first = scene.fetch("https://rebind.example/");
      scene.link(0).send("HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n");
      scene.run();
      assertThat(first.failure()).isEqualTo(FetchOutcome.BLOCKED);
      assertThat(scene.fetch("https://rebind.example/").failure()).isEqualTo(FetchOutcome.BLOCKED);
      assertThat(scene.connector.addresses()).containsExactly("93.184.216.34");
    }
  }

  // Limits of the node

  /** Returns one of several organizations, each with a limit of its own. */
  private static OrgId org(int n) {
    return new OrgId(new UUID(3, n));
  }

  @Test
  void concurrentNameResolutionsAreLimited() {
    try (var scene = new FetchScenario()) {
      scene.names.answer("slow.example", "SILENT");
      List<PendingFetch> asked = new ArrayList<>();
      for (int n = 0; n < PublicAddressResolver.LOOKUPS_MAX; n++) {
        asked.add(scene.fetch(org(n), "https://slow.example/"));
      }
      assertThat(scene.resolver.inFlight()).isEqualTo(PublicAddressResolver.LOOKUPS_MAX);
      var url = (PublicUrl.UrlParseResult.Valid) scene.urls.check(URL);
      assertThat(scene.resolver.resolve(url.url(), scene.urls, scene.loop()).getNow())
          .isEqualTo(new PublicAddressResolver.Resolved.Busy());
      scene.passSeconds(2);
      assertThat(asked).allMatch(one -> one.failure() == FetchOutcome.UNRESOLVED);
      assertThat(scene.resolver.inFlight()).isZero();
    }
  }

  @Test
  void soManyFetchesAreUnderWayAtOnce() {
    try (var scene = new FetchScenario()) {
      List<PendingFetch> asked = new ArrayList<>();
      for (int n = 0; n < ImageFetchClient.FETCHES_MAX; n++) {
        asked.add(scene.fetch(org(n), URL));
      }
      PendingFetch more = scene.fetch(URL);
      assertThat(more.failure()).isEqualTo(FetchOutcome.NO_ROOM);
      assertThat(more.failed().fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      asked.getFirst().cancel();
      PendingFetch another = scene.fetch(URL);
      assertThat(another.outcome).isNull();
      another.cancel();
      asked.forEach(PendingFetch::cancel);
    }
  }
}
