package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import org.junit.jupiter.api.Test;

/** Refusals of a used-up balance without a call to the ledger store. */
class ExhaustedBalanceTest extends LeasingScenario {
  private final ApiKey key = key("onlykey1");
  private final SimulatedNode node = node(0);

  @Test
  void aUsedUpBalanceIsCachedForAMoment() throws Exception {
    ledgerStore.fund(ORG, new MicroUsd(100));
    assertThat(node.ledger().usedUp(key)).isNull();
    spendAll();
    assertThat(node.ledger().usedUp(key)).as("before any refusal").isNull();
    node.ask(key, 10);
    ticks(3, 20, node);
    assertThat(world.refused).hasSize(1);

    Fault known = node.ledger().usedUp(key);
    assertThat(known).isNotNull();
    assertThat(known.code()).isEqualTo(ErrorCode.INSUFFICIENT_CREDITS);
    assertThat(known.details()).containsEntry("spent_micro", 100L);
    assertThat(node.ledger().usedUp(key("otherkey"))).as("a key without requests").isNull();
    world.pass(100);
    assertThat(node.ledger().usedUp(key)).as("the store may have more by now").isNull();
  }

  @Test
  void aBalanceThatIsTooSmallForOneRequestMayDoForAnother() {
    ledgerStore.fund(ORG, new MicroUsd(100));
    node.ask(key, 1_000);
    ticks(3, 20, node);
    assertThat(world.refused).hasSize(1);
    assertThat(world.refused.getFirst().available()).isEqualTo(new MicroUsd(100));
    assertThat(world.refused.getFirst().fault().details())
        .containsEntry("required_micro", 1_000L)
        .containsEntry("available_micro", 100L);

    assertThat(node.ledger().usedUp(key)).isNull();
  }

  private void spendAll() throws Exception {
    node.ask(key, 100);
    ticks(3, 20, node);
    node.endOneAt(100);
    node.sync();
    node.flush(10, CallOutcome.FINE);
  }
}
