package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.money.MicroUsd;
import java.time.LocalDate;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Refusals for lack of money name the scope, its amounts, and when it resets. */
class RefusalsTest {
  private static final OrgId ORG = new OrgId(new UUID(0, 1));
  private static final KeyId KEY = new KeyId("abcd1234");

  @ParameterizedTest
  @CsvSource({
    "ORG_MONTH, spending_limit_exceeded, organization_month, 2026-11-20, 2026-12-01T00:00:00Z",
    "KEY_DAY, budget_exceeded, key_day, 2026-11-20, 2026-11-21T00:00:00Z",
    "KEY_MONTH, budget_exceeded, key_month, 2026-11-20, 2026-12-01T00:00:00Z",
    "ORG_MONTH, spending_limit_exceeded, organization_month, 2026-12-31, 2027-01-01T00:00:00Z",
    "KEY_DAY, budget_exceeded, key_day, 2028-02-28, 2028-02-29T00:00:00Z",
    "KEY_MONTH, budget_exceeded, key_month, 2028-02-29, 2028-03-01T00:00:00Z"
  })
  void aSumWithWindowsSaysWhenTheNextOneBegins(
      ScopeKind kind, String code, String scope, LocalDate day, String resets) {
    Fault fault = refusal(kind, day);
    assertThat(fault.code().wire()).isEqualTo(code);
    assertThat(fault.details())
        .containsEntry("scope", scope)
        .containsEntry("limit_micro", 100L)
        .containsEntry("spent_micro", 60L)
        .containsEntry("reserved_micro", 30L)
        .containsEntry("required_micro", 20L)
        .containsEntry("available_micro", 10L)
        .containsEntry("resets_at", resets);
  }

  @Test
  void aBalanceNeverResets() {
    Fault fault = refusal(ScopeKind.ORG, LocalDate.of(2026, 11, 20));
    assertThat(fault.code().wire()).isEqualTo("insufficient_credits");
    assertThat(fault.details())
        .containsEntry("scope", "organization")
        .doesNotContainKey("resets_at");
  }

  @ParameterizedTest
  @EnumSource
  void eachIsA402ThatNoRetryHelps(ScopeKind kind) {
    Fault fault = refusal(kind, LocalDate.of(2026, 11, 20));
    assertThat(fault.code().status()).isEqualTo(402);
    assertThat(fault.retryAfterSeconds()).isZero();
  }

  private static Fault refusal(ScopeKind kind, LocalDate day) {
    var window = new Window(day);
    var shortage =
        new Shortage(
            Scope.of(kind, ORG, KEY, window),
            new MicroUsd(100),
            new MicroUsd(60),
            new MicroUsd(30),
            false);
    return Refusals.of(shortage, window, 20, 10).fault();
  }
}
