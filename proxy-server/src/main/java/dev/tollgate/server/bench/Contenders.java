package dev.tollgate.server.bench;

import dev.tollgate.server.bench.Contender.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gateway, and the provider itself where there is one to compare with. */
record Contenders(Contender target, @Nullable Contender direct) {
  static Contenders of(BenchPlan plan, Driver driver) {
    BenchPlan.Party direct = plan.direct();
    return new Contenders(
        contender(Role.TARGET, plan.target(), plan, driver),
        direct == null ? null : contender(Role.DIRECT, direct, plan, driver));
  }

  private static Contender contender(
      Role role, BenchPlan.Party party, BenchPlan plan, Driver driver) {
    return new Contender(role, party, plan.prompt(), driver, plan.bounds().connectionsMax());
  }

  /** In the order of a round: who begins changes, so that a drift is nobody's. */
  List<Contender> order(int round) {
    if (direct == null) {
      return List.of(target);
    }
    return round % 2 == 0 ? List.of(direct, target) : List.of(target, direct);
  }

  /** The one whose streams say what is due when. */
  Contender reference() {
    return direct == null ? target : direct;
  }
}
