package dev.tollgate.core.tenant;

import static dev.tollgate.core.tenant.KeyCacheTest.asked;
import static dev.tollgate.core.tenant.KeyCacheTest.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.net.IpAddresses;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Budgets and places of look-ups of keys that the cache does not know. */
class KeyLookupBudgetTest {
  private static final InetAddress FROM = address("192.0.2.1");
  private static final Lookup DOWN = new Lookup.Unavailable("down");

  private final List<Consumer<Lookup>> loads = new ArrayList<>();
  private final List<CacheResult.FinalResult> verdicts = new ArrayList<>();
  private final KeyCache cache =
      new KeyCache((_, whenDone) -> loads.add(whenDone), KeyCache.Rules.DEFAULT);

  private long now = -Duration.ofSeconds(3).toNanos();

  @Test
  void anAddressMayNameFortyUnknownKeysAndTenMoreASecond() {
    cache.allExist();
    for (int i = 0; i < 40; i++) {
      assertThat(findUnknown("s" + i, FROM)).isEqualTo(new CacheResult.Unknown());
    }
    int looked = loads.size();
    assertThat(findUnknown("more", FROM)).isEqualTo(new CacheResult.OverBudget());
    pass(Duration.ofNanos(99_999_999));
    assertThat(findUnknown("more", FROM)).isEqualTo(new CacheResult.OverBudget());
    assertThat(loads).as("without a look-up").hasSize(looked);

    pass(Duration.ofNanos(1));
    assertThat(findUnknown("more", FROM)).isEqualTo(new CacheResult.Unknown());
    assertThat(findUnknown("last", FROM)).isEqualTo(new CacheResult.OverBudget());
  }

  @Test
  void anAddressDoesNotUseUpTheBudgetOfAnother() {
    cache.allExist();
    InetAddress host = address("2001:db8:0:1::1");
    exhaust(host);

    assertThat(findUnknown("a", address("2001:db8:0:1::2")))
        .as("the same network of 64 bits")
        .isEqualTo(new CacheResult.OverBudget());
    assertThat(findUnknown("a", address("2001:db8:0:2::1"))).isEqualTo(new CacheResult.Unknown());
    assertThat(findUnknown("b", null)).isEqualTo(new CacheResult.Unknown());
  }

  @Test
  void aKeyThatIsCachedAsUnknownCostsAsMuch() {
    cache.allExist();
    cache.pollSucceeded(now);
    for (int i = 0; i < 40; i++) {
      assertThat(findUnknown("same", FROM)).isEqualTo(new CacheResult.Unknown());
    }
    assertThat(loads).hasSize(1);
    assertThat(findUnknown("same", FROM)).isEqualTo(new CacheResult.OverBudget());
  }

  @Test
  void aWrongSecretOfAnExistingIdHasABudgetOfItsOwn() {
    cache.exists(new KeyId("a"));
    cache.exists(new KeyId("b"));
    cache.allExist();
    exhaust(FROM);
    for (int i = 0; i < 50; i++) {
      assertThat(findWrong("a", i, FROM)).isEqualTo(new CacheResult.Unknown());
    }
    assertThat(findWrong("a", 50, FROM)).isEqualTo(new CacheResult.OverBudget());
    assertThat(findWrong("b", 0, FROM)).as("another id").isEqualTo(new CacheResult.Unknown());
    assertThat(findWrong("a", 51, address("192.0.2.2")))
        .as("the owner elsewhere")
        .isEqualTo(new CacheResult.Unknown());
    pass(Duration.ofMillis(20));
    assertThat(findWrong("a", 52, FROM)).isEqualTo(new CacheResult.Unknown());
  }

  @Test
  void aKnownKeyPaysNothing() {
    cache.exists(new KeyId("a"));
    cache.allExist();
    learn("a", KeyState.ACTIVE);
    exhaust(FROM);
    for (int i = 0; i < 200; i++) {
      assertThat(find("a")).isInstanceOf(CacheResult.Known.class);
    }
    pass(Duration.ofSeconds(6)); // without a poll it is looked up each time
    for (int i = 0; i < 200; i++) {
      assertThat(find("a")).isEqualTo(new CacheResult.Pending());
      land(loads.size() - 1, new Lookup.Found(key("a", KeyState.ACTIVE)));
    }
    assertThat(verdicts).last().isInstanceOf(CacheResult.Known.class);
  }

  @Test
  void aKeyThatTheSetDoesNotHaveYetGetsItsPaymentBack() {
    cache.allExist();
    for (int i = 0; i < 39; i++) {
      findUnknown("s" + i, FROM);
    }
    for (int i = 0; i < 100; i++) {
      find("new" + i);
      land(loads.size() - 1, new Lookup.Found(key("new" + i, KeyState.ACTIVE)));
      assertThat(verdicts).last().isInstanceOf(CacheResult.Known.class);
    }
    assertThat(findUnknown("s39", FROM)).isEqualTo(new CacheResult.Unknown());
    assertThat(findUnknown("s40", FROM)).isEqualTo(new CacheResult.OverBudget());
  }

  @Test
  void anOutageOfTheStoreCostsNothing() {
    cache.allExist();
    for (int i = 0; i < 100; i++) {
      find("s" + i);
      land(loads.size() - 1, DOWN);
    }
    assertThat(verdicts).hasSize(100).containsOnly(new CacheResult.Unavailable("down"));
  }

  @Test
  void manyRequestsOfOneColdKeyPayOnce() {
    cache.exists(new KeyId("a"));
    cache.allExist();
    for (int i = 0; i < 1_000; i++) {
      assertThat(find("a")).isEqualTo(new CacheResult.Pending());
    }
    land(0, new Lookup.Found(key("a", KeyState.ACTIVE)));
    assertThat(verdicts).hasSize(1_000).hasOnlyElementsOfType(CacheResult.Known.class);
  }

  @Test
  void thoseThatWaitedForAKeyThatDoesNotExistPayToo() {
    cache.allExist();
    for (int i = 0; i < 60; i++) {
      assertThat(find("a")).isEqualTo(new CacheResult.Pending());
    }
    land(0, new Lookup.Unknown());
    assertThat(verdicts).filteredOn(CacheResult.Unknown.class::isInstance).hasSize(40);
    assertThat(verdicts).filteredOn(CacheResult.OverBudget.class::isInstance).hasSize(20);
  }

  @Test
  void unknownKeysCannotTakeThePlacesOfExistingOnes() {
    cache.exists(new KeyId("real"));
    cache.allExist();
    for (int i = 0; i < 40; i++) {
      InetAddress from = address(i % 2 == 0 ? "192.0.2.1" : "192.0.2.2");
      assertThat(find(asked("s" + i), from)).isEqualTo(new CacheResult.Pending());
    }
    assertThat(find("s40")).isEqualTo(new CacheResult.OverBudget());
    assertThat(find("real")).isEqualTo(new CacheResult.Pending());
    land(40, new Lookup.Found(key("real", KeyState.ACTIVE)));
    assertThat(verdicts).last().isEqualTo(new CacheResult.Known(key("real", KeyState.ACTIVE)));
    land(0, new Lookup.Unknown());
    assertThat(find("s40")).isEqualTo(new CacheResult.Pending());
  }

  @Test
  void oneIdTakesOnlyEightPlaces() {
    for (int i = 0; i < 8; i++) {
      assertThat(find(new ValidKey(new KeyId("a"), "a" + i), FROM))
          .isEqualTo(new CacheResult.Pending());
    }
    assertThat(find(new ValidKey(new KeyId("a"), "a8"), FROM))
        .isInstanceOf(CacheResult.Unavailable.class);
    assertThat(find("b")).isEqualTo(new CacheResult.Pending());
    land(0, new Lookup.Unknown());
    assertThat(find(new ValidKey(new KeyId("a"), "a8"), FROM)).isEqualTo(new CacheResult.Pending());
  }

  @Test
  void aChangedKeyExists() {
    cache.allExist();
    exhaust(FROM);
    cache.changed(new KeyId("new"));
    assertThat(find("new")).isEqualTo(new CacheResult.Pending());
  }

  private void exhaust(InetAddress from) {
    for (int i = 0; i < 40; i++) {
      findUnknown("exhausting" + i, from);
    }
    assertThat(findUnknown("exhausted", from)).isEqualTo(new CacheResult.OverBudget());
  }

  private CacheResult findUnknown(String name, @Nullable InetAddress from) {
    return answered(find(asked(name), from));
  }

  private CacheResult findWrong(String id, int secret, InetAddress from) {
    return answered(find(new ValidKey(new KeyId(id), id + " wrong " + secret), from));
  }

  private CacheResult answered(CacheResult result) {
    if (result instanceof CacheResult.Pending) {
      land(loads.size() - 1, new Lookup.Unknown());
      return verdicts.getLast();
    }
    return result;
  }

  private void learn(String name, KeyState state) {
    cache.pollSucceeded(now);
    assertThat(find(name)).isEqualTo(new CacheResult.Pending());
    land(loads.size() - 1, new Lookup.Found(key(name, state)));
  }

  private CacheResult find(String name) {
    return find(asked(name), FROM);
  }

  private CacheResult find(ValidKey asked, @Nullable InetAddress from) {
    return cache.find(asked, from, now, Runnable::run, verdicts::add);
  }

  private void land(int load, Lookup lookup) {
    loads.get(load).accept(lookup);
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private static InetAddress address(String text) {
    return Objects.requireNonNull(IpAddresses.parse(text));
  }
}
