package dev.tollgate.core.limit;

import dev.tollgate.core.fault.Fault;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The limits as requests meet them. Shared by all loops.
 *
 * @param rules those in force now; a request keeps the ones it was asked with
 * @param refusals hears of each 429, on the loop that gives it: it must not block
 */
public record Limits(Counters counters, Supplier<LimitRules> rules, Consumer<Fault> refusals) {}
