package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.util.Optional;

/**
 * Parser of one API's usage object, which converts the provider's token counts to {@link Usage} in
 * OpenAI's terms (docs/decisions/money.md#usage). Each dialect defines a constant of this type.
 */
@FunctionalInterface
public interface UsageFormat {
  /** Returns the usage; {@link UsageCounts} marks it as unusable if a required count is. */
  Usage parse(UsageCounts counts);

  /**
   * Reads a usage object. Explicit zeros are values; a negative, broken or absurd count of prompt
   * or completion tokens makes the whole object unusable, and the gateway estimates. The provider's
   * own {@code cost} is read where it is beside the counts.
   *
   * @param contextLength tokens above which a count cannot be true; 0 means unknown
   */
  default Optional<Usage> read(JsonMembers usage, int contextLength) {
    var counts = new UsageCounts(usage);
    Usage read = parse(counts).withReportedCost(counts.reportedCost());
    return counts.isSound() && fits(read, contextLength) ? Optional.of(read) : Optional.empty();
  }

  private static boolean fits(Usage usage, int contextLength) {
    return contextLength == 0
        || (usage.promptTokens() <= contextLength && usage.completionTokens() <= contextLength);
  }
}
