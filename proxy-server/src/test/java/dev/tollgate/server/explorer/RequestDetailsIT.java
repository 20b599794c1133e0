package dev.tollgate.server.explorer;

import static dev.tollgate.server.explorer.TestRequests.line;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.explorer.RequestDetail.Scope;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One request is shown with its line and its charge, and to its organization only. */
@Execution(ExecutionMode.CONCURRENT)
class RequestDetailsIT {
  private static final long NOW = System.currentTimeMillis();

  private TestRequests requests;
  private RequestDetails details;

  @BeforeEach
  void open() throws Exception {
    requests = TestRequests.open();
    details = new RequestDetails(requests.testStore.store().pool(), Duration.ofDays(35));
  }

  @AfterEach
  void close() {
    requests.close();
  }

  @Test
  void aChargedRequestHasItsLineAndItsCharge() throws Exception {
    RequestId id = RequestId.at(NOW);
    requests.charged(id, 7, line("v/m", "ok", 7));
    RequestDetail detail = details.find(requests.org, id.value()).orElseThrow();
    assertThat(detail.row().model()).isEqualTo("v/m");
    assertThat(detail.routing()).isEqualTo(Map.of("strategy", "priority", "selected", "a"));
    assertThat(requireNonNull(detail.line()).attempts())
        .extracting(RequestLine.Attempt::outcome)
        .containsExactly("provider_error", "ok");
    assertThat(requireNonNull(detail.line()).attempts())
        .extracting(RequestLine.Attempt::atMs)
        .as("lines of before do not tell")
        .containsExactly(null, 95.25);
    assertThat(requireNonNull(detail.line()).phases())
        .containsExactly(new RequestLine.Phase("admission", 0));
    assertThat(requireNonNull(detail.line()).responseBytes()).isEqualTo(20);
    assertThat(detail.lineText()).isEqualTo(line("v/m", "ok", 7));
    assertThat(requireNonNull(detail.charge()).how()).isEqualTo(SettlementKind.COMPLETED);
    assertThat(requireNonNull(detail.charge()).reservedMicro()).isEqualTo(100);
    assertThat(requireNonNull(detail.charge()).costMicro()).isEqualTo(7);
    assertThat(requireNonNull(detail.charge()).scopes())
        .extracting(Scope::kind)
        .containsExactly(Scope.Kind.values());
    assertThat(detail.keptUntil())
        .isEqualTo(Window.at(NOW).day().plusDays(36).atStartOfDay(ZoneOffset.UTC).toInstant());
    requests.project();
    assertThat(requests.testStore.execute("SELECT model FROM request_view")).containsExactly("v/m");
  }

  @Test
  void aRequestWithoutAChargeHasNone() throws Exception {
    RequestId id = RequestId.at(NOW);
    requests.logged(id, line("v/m", "rejected", 0));
    RequestDetail detail = details.find(requests.org, id.value()).orElseThrow();
    assertThat(detail.charge()).isNull();
    assertThat(detail.row().costMicro()).isZero();
  }

  @Test
  void aJobCostsWhatWasChargedLater() throws Exception {
    RequestId id = RequestId.at(NOW);
    requests.logged(id, line("v/video", "ok", 0));
    requests.jobEnded(id, 500, 700);
    RequestDetail detail = details.find(requests.org, id.value()).orElseThrow();
    assertThat(detail.row().costMicro()).isEqualTo(500);
    assertThat(detail.row().operatorCostMicro()).isEqualTo(700);
    assertThat(requireNonNull(detail.charge()).costMicro()).isEqualTo(500);
  }

  @Test
  void aCrashHasNoLine() throws Exception {
    RequestId id = RequestId.at(NOW);
    requests.crashed(id, 3);
    RequestDetail detail = details.find(null, id.value()).orElseThrow();
    assertThat(detail.line()).isNull();
    assertThat(detail.routing()).isEmpty();
    assertThat(requireNonNull(detail.charge()).how()).isEqualTo(SettlementKind.CRASH);
  }

  @Test
  void whatIsNotTheirsIsNotThere() throws Exception {
    RequestId id = RequestId.at(NOW);
    requests.charged(id, 7, line("v/m", "ok", 7));
    assertThat(details.find(requests.testStore.newOrg(), id.value())).isEmpty();
    assertThat(details.find(requests.org, RequestId.at(NOW).value())).isEmpty();
    for (String odd : new String[] {"", "req_", "req_é", id.value() + "0", "x".repeat(30)}) {
      assertThat(details.find(requests.org, odd)).as(odd).isEmpty();
    }
  }
}
