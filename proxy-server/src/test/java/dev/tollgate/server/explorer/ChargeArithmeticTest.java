package dev.tollgate.server.explorer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.HedgeOutcome;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.AnyPrices;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.ItemizedCost.Line;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.money.PriceSheet;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.server.explorer.ChargeArithmetic.AppliedPrices;
import dev.tollgate.server.explorer.ChargeArithmetic.SettledCharge;
import dev.tollgate.server.ops.AccessLog;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Charges computed again from the rows and the price sheets that are stored of them. */
class ChargeArithmeticTest {
  private static final int RUNS = 2_000;
  private static final PriceList PRICES = PriceList.ofTokens(TokenPrices.of(150_000, 600_000));

  @Test
  void anyChargeIsComputedAgainFromItsRow() {
    Seeds.forEach(
        RUNS,
        random -> {
          Charge charge = Charge.of(anyParts(random));
          ChargeArithmetic computed =
              ChargeArithmetic.of(
                  PricedRecord.ofRow(row(charge)), sheets(charge), settled(charge.cost()));
          assertThat(computed.matches()).isTrue();
          if (!charge.cost().isPositive()) {
            assertThat(computed.lines()).isEmpty();
            return;
          }
          assertThat(computed.rounded()).isEqualTo(charge.cost());
          assertThat(sum(computed.lines())).isEqualTo(computed.totalPico());
          assertThat(rounded(computed.totalPico())).isEqualTo(charge.cost().value());
          assertThat(computed.pricedAs()).hasSameSizeAs(charge.parts());
        });
  }

  private static List<PricedUsage> anyParts(Random random) {
    List<PricedUsage> parts = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      Usage usage = random.nextInt(8) == 0 ? Usage.estimate(0, 0) : AnyPrices.usage(random);
      List<Quantity> quantities = random.nextBoolean() ? List.of() : AnyPrices.quantities(random);
      parts.add(new PricedUsage(usage, quantities, AnyPrices.list(random)));
    }
    return parts;
  }

  private static BigInteger sum(List<Line> lines) {
    return lines.stream().map(Line::pico).reduce(BigInteger.ZERO, BigInteger::add);
  }

  private static long rounded(BigInteger pico) {
    BigDecimal micro = new BigDecimal(pico, 6).setScale(0, RoundingMode.HALF_UP);
    return Math.max(1, micro.longValueExact());
  }

  @Test
  void aSheetIsReadAsItWasWritten() {
    Seeds.forEach(
        RUNS,
        random -> {
          PriceList prices = AnyPrices.list(random);
          assertThat(StoredPrices.read(prices.sheet().content())).contains(prices);
        });
    assertThat(StoredPrices.read("{\"input\":-1}")).isEmpty();
    assertThat(StoredPrices.read("[]")).isEmpty();
    assertThat(StoredPrices.read("{")).isEmpty();
  }

  @Test
  void aResumedChargeHasThePricesAndTheTierOfEachPart() {
    PriceList tiered =
        new PriceList(
            TokenPrices.of(100, 200),
            List.of(new Tier(10, TokenPrices.of(50, 70))),
            0,
            0,
            0,
            List.of(),
            0,
            0);
    Charge charge =
        Charge.of(
            List.of(
                new PricedUsage(Usage.ofTokens(20, 5).interrupted(6), List.of(), PRICES),
                new PricedUsage(Usage.ofTokens(20, 9), List.of(), tiered)));

    ChargeArithmetic computed =
        ChargeArithmetic.of(
            PricedRecord.ofRow(row(charge)),
            sheets(charge),
            new SettledCharge(
                charge.cost(), charge.cost(), SettlementKind.COMPLETED, true, MicroUsd.ZERO));

    assertThat(computed.matches()).isTrue();
    assertThat(computed.pricedAs())
        .containsExactly(
            new AppliedPrices(PRICES.sheet().id(), 0), new AppliedPrices(tiered.sheet().id(), 10));
    assertThat(computed.lines()).extracting(Line::part).containsExactly(0, 0, 1, 1);
    assertThat(computed.lines()).extracting(Line::quantity).containsExactly(20L, 6L, 20L, 9L);
    assertThat(computed.notes()).containsExactly(ArithmeticNote.ESTIMATED);
  }

  @Test
  void whatIsParticularOfAChargeIsNamed() {
    Charge charge = Charge.of(List.of(new PricedUsage(Usage.ofTokens(1, 0), List.of(), PRICES)));
    assertThat(notes(charge, SettlementKind.PARTIAL, 1, 0))
        .containsExactly(ArithmeticNote.PARTIAL, ArithmeticNote.MINIMUM);
    assertThat(notes(charge, SettlementKind.ABANDONED, 0, 7))
        .containsExactly(
            ArithmeticNote.ABANDONED,
            ArithmeticNote.OVERRUN,
            ArithmeticNote.MINIMUM,
            ArithmeticNote.BELOW_COST);
  }

  private static Iterable<ArithmeticNote> notes(
      Charge charge, SettlementKind how, long reserved, long operatorCost) {
    var settled =
        new SettledCharge(
            charge.cost(), new MicroUsd(reserved), how, false, new MicroUsd(operatorCost));
    ChargeArithmetic computed =
        ChargeArithmetic.of(PricedRecord.ofRow(row(charge)), sheets(charge), settled);
    assertThat(computed.matches()).isTrue();
    return computed.notes();
  }

  @Test
  void whatCannotBeComputedSaysWhy() {
    Charge charge = Charge.of(List.of(new PricedUsage(Usage.ofTokens(9, 9), List.of(), PRICES)));
    SettledCharge settled = settled(charge.cost());
    PricedRecord record = PricedRecord.ofRow(row(charge));

    assertUncomputed(record, Map.of(), settled, ArithmeticNote.PRICES_UNKNOWN);
    assertUncomputed(
        record, Map.of(PRICES.sheet().id(), "{"), settled, ArithmeticNote.PRICES_UNKNOWN);
    for (String row : List.of("{\"cost_micro\":7}", "not JSON", "", "[]", "{\"priced\":{}}")) {
      assertUncomputed(
          PricedRecord.ofRow(row), sheets(charge), settled, ArithmeticNote.NOT_RECORDED);
    }
    var crashed =
        new SettledCharge(charge.cost(), charge.cost(), SettlementKind.CRASH, false, MicroUsd.ZERO);
    assertThat(ChargeArithmetic.of(PricedRecord.NONE, Map.of(), crashed).notes())
        .containsExactly(ArithmeticNote.CRASH, ArithmeticNote.NOT_RECORDED);
    assertThat(ChargeArithmetic.of(PricedRecord.NONE, Map.of(), settled(MicroUsd.ZERO)))
        .returns(true, ChargeArithmetic::matches)
        .returns(true, free -> free.notes().isEmpty());

    ChargeArithmetic other =
        ChargeArithmetic.of(record, sheets(charge), settled(charge.cost().plus(new MicroUsd(1))));
    assertThat(other.matches()).isFalse();
    assertThat(other.notes()).containsExactly(ArithmeticNote.DIFFERS);
    assertThat(other.lines()).hasSize(2);
  }

  private static void assertUncomputed(
      PricedRecord record, Map<String, String> sheets, SettledCharge settled, ArithmeticNote why) {
    ChargeArithmetic computed = ChargeArithmetic.of(record, sheets, settled);
    assertThat(computed.matches()).isFalse();
    assertThat(computed.lines()).isEmpty();
    assertThat(computed.notes()).containsExactly(why);
  }

  private static SettledCharge settled(MicroUsd cost) {
    return new SettledCharge(cost, cost, SettlementKind.COMPLETED, false, MicroUsd.ZERO);
  }

  private static Map<String, String> sheets(Charge charge) {
    return charge.parts().stream()
        .map(part -> part.prices().sheet())
        .distinct()
        .collect(Collectors.toMap(PriceSheet::id, PriceSheet::content));
  }

  private static String row(Charge charge) {
    var provider = new ProviderId("mock");
    var served =
        new RequestRecord.Served(
            new ModelId("mock", "chat"),
            true,
            provider,
            "",
            new RequestRecord.AttemptsSummary(List.of(), ResumeOutcome.NO, HedgeOutcome.NO),
            charge,
            new RequestRecord.Timing(null, Duration.ZERO, Duration.ZERO, List.of()));
    var http = new RequestRecord.HttpSummary("203.0.113.7", "POST", "other", 200, 1, 1);
    var record =
        new RequestRecord(
            RequestId.at(1_763_640_000_123L),
            Duration.ZERO,
            http,
            RequestOutcome.OK,
            null,
            null,
            null,
            served);
    return new String(AccessLog.line(record), UTF_8);
  }
}
