package dev.tollgate.bench;

import dev.tollgate.bench.BenchTarget.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Both sides of a benchmark: the gateway and, if configured, the provider itself for comparison.
 */
record BenchTargets(BenchTarget target, @Nullable BenchTarget direct) {
  static BenchTargets of(BenchPlan plan, Driver driver) {
    BenchPlan.TargetSpec direct = plan.direct();
    return new BenchTargets(
        connect(Role.TARGET, plan.target(), plan, driver),
        direct == null ? null : connect(Role.DIRECT, direct, plan, driver));
  }

  private static BenchTarget connect(
      Role role, BenchPlan.TargetSpec spec, BenchPlan plan, Driver driver) {
    return new BenchTarget(role, spec, plan.prompt(), driver, plan.bounds().connectionsMax());
  }

  /**
   * Returns the sides in the order of a round. The first side alternates, so that a drift affects
   * both.
   */
  List<BenchTarget> order(int round) {
    if (direct == null) {
      return List.of(target);
    }
    return round % 2 == 0 ? List.of(direct, target) : List.of(target, direct);
  }

  /** Returns the side whose streams define the schedule. */
  BenchTarget reference() {
    return direct == null ? target : direct;
  }
}
