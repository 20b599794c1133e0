package dev.tollgate.server.explorer;

import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.ItemizedCost;
import dev.tollgate.core.money.ItemizedCost.Line;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.Tier;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Arithmetic of one charge by the prices that were applied: its lines, their sum and its rounding,
 * compared with what was settled.
 *
 * @param pricedAs the prices of each part; empty, as {@code lines}, if the charge cannot be
 *     computed
 * @param rounded the sum rounded as a charge is
 * @param matches true if that is the settled cost
 * @param notes what is particular about the charge
 */
public record ChargeArithmetic(
    List<AppliedPrices> pricedAs,
    List<Line> lines,
    BigInteger totalPico,
    MicroUsd rounded,
    boolean matches,
    Set<ArithmeticNote> notes) {

  /**
   * Prices of one part of a charge.
   *
   * @param sheet id of the price sheet
   * @param abovePromptTokens threshold of the tier that applied; 0 if none did
   */
  public record AppliedPrices(String sheet, long abovePromptTokens) {}

  /**
   * Charge as it was settled.
   *
   * @param operatorCost what the operator paid; 0 if that must not show
   */
  public record SettledCharge(
      MicroUsd cost,
      MicroUsd reserved,
      SettlementKind how,
      boolean estimated,
      MicroUsd operatorCost) {

    /** Returns the cost above the reservation. */
    public MicroUsd overrun() {
      return new MicroUsd(Math.max(0, cost.value() - reserved.value()));
    }
  }

  /**
   * Computes a charge again.
   *
   * @param sheets contents of price sheets by their ids, at least those that the record names
   */
  public static ChargeArithmetic of(
      PricedRecord record, Map<String, String> sheets, SettledCharge settled) {
    Set<ArithmeticNote> notes = notes(settled);
    List<AppliedPrices> pricedAs = new ArrayList<>();
    List<PricedUsage> parts = new ArrayList<>();
    for (PricedRecord.Part part : record.parts()) {
      Optional<PriceList> prices =
          Optional.ofNullable(sheets.get(part.sheet())).flatMap(StoredPrices::read);
      if (prices.isEmpty()) {
        notes.add(ArithmeticNote.PRICES_UNKNOWN);
        return unknown(settled, notes);
      }
      long above = tierAbove(prices.get(), part.usage().promptTokens());
      pricedAs.add(new AppliedPrices(part.sheet(), above));
      parts.add(new PricedUsage(part.usage(), part.quantities(), prices.get()));
    }
    if (parts.isEmpty()) {
      if (settled.cost().isPositive()) {
        notes.add(ArithmeticNote.NOT_RECORDED);
      }
      return unknown(settled, notes);
    }
    return computed(pricedAs, ItemizedCost.of(parts), settled, notes);
  }

  private static ChargeArithmetic computed(
      List<AppliedPrices> pricedAs,
      ItemizedCost cost,
      SettledCharge settled,
      Set<ArithmeticNote> notes) {
    if (isMinimum(cost)) {
      notes.add(ArithmeticNote.MINIMUM);
    }
    boolean matches = cost.rounded().equals(settled.cost());
    if (!matches) {
      notes.add(ArithmeticNote.DIFFERS);
    }
    return new ChargeArithmetic(
        List.copyOf(pricedAs), cost.lines(), cost.totalPico(), cost.rounded(), matches, notes);
  }

  private static ChargeArithmetic unknown(SettledCharge settled, Set<ArithmeticNote> notes) {
    return new ChargeArithmetic(
        List.of(), List.of(), BigInteger.ZERO, MicroUsd.ZERO, !settled.cost().isPositive(), notes);
  }

  /** True if half up would have made zero of what had a price. */
  private static boolean isMinimum(ItemizedCost cost) {
    return cost.rounded().value() == 1
        && cost.totalPico().compareTo(BigInteger.valueOf(500_000)) < 0;
  }

  private static long tierAbove(PriceList prices, long promptTokens) {
    long above = 0;
    for (Tier tier : prices.tiers()) {
      if (promptTokens > tier.abovePromptTokens()) {
        above = tier.abovePromptTokens();
      }
    }
    return above;
  }

  private static Set<ArithmeticNote> notes(SettledCharge settled) {
    Set<ArithmeticNote> notes = EnumSet.noneOf(ArithmeticNote.class);
    if (settled.estimated()) {
      notes.add(ArithmeticNote.ESTIMATED);
    }
    switch (settled.how()) {
      case COMPLETED -> {}
      case PARTIAL -> notes.add(ArithmeticNote.PARTIAL);
      case ABANDONED -> notes.add(ArithmeticNote.ABANDONED);
      case CRASH -> notes.add(ArithmeticNote.CRASH);
    }
    if (settled.overrun().isPositive()) {
      notes.add(ArithmeticNote.OVERRUN);
    }
    if (settled.operatorCost().compareTo(settled.cost()) > 0) {
      notes.add(ArithmeticNote.BELOW_COST);
    }
    return notes;
  }
}
