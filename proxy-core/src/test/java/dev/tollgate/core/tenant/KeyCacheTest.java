package dev.tollgate.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Answers of the cache while the store is up, changing, unresponsive and down. */
class KeyCacheTest {
  private static final OrgId ORG = new OrgId(UUID.randomUUID());
  private static final Lookup DOWN = new Lookup.Unavailable("down");

  private final List<Load> loads = new ArrayList<>();
  private final List<CacheResult.FinalResult> verdicts = new ArrayList<>();
  private final KeyCache cache =
      new KeyCache((hash, whenDone) -> loads.add(new Load(hash, whenDone)), KeyCache.Rules.DEFAULT);

  private long now = -Duration.ofSeconds(3).toNanos();

  private record Load(KeyHash hash, Consumer<Lookup> whenDone) {}

  @Test
  void aKnownKeyIsAnsweredWithoutTheStore() {
    learn("a", KeyState.ACTIVE);

    assertThat(find("a")).isEqualTo(new CacheResult.Known(key("a", KeyState.ACTIVE)));
    assertThat(loads).hasSize(1);
  }

  @Test
  void manyWaitersForOneKeyShareOneLookUp() {
    cache.pollSucceeded(now);
    for (int i = 0; i < 100; i++) {
      assertThat(find("a")).isEqualTo(new CacheResult.Pending());
    }
    land(0, new Lookup.Found(key("a", KeyState.ACTIVE)));

    assertThat(loads).hasSize(1);
    assertThat(verdicts)
        .hasSize(100)
        .containsOnly(new CacheResult.Known(key("a", KeyState.ACTIVE)));
  }

  @Test
  void aSecondCompletionIsIgnored() {
    cache.pollSucceeded(now);
    find("a");
    land(0, new Lookup.Unknown());
    land(0, new Lookup.Found(key("a", KeyState.ACTIVE)));

    assertThat(verdicts).containsExactly(new CacheResult.Unknown());
    assertThat(find("a")).isEqualTo(new CacheResult.Unknown());
    assertThat(cache.pendingLookups()).isZero();
  }

  @Test
  void anUnknownKeyIsUnknownForTenSeconds() {
    find("a");
    land(0, new Lookup.Unknown());

    pass(Duration.ofMillis(9_999));
    cache.pollSucceeded(now);
    assertThat(find("a")).isEqualTo(new CacheResult.Unknown());
    pass(Duration.ofMillis(1));
    assertThat(find("a")).isEqualTo(new CacheResult.Pending());
  }

  @Test
  void withoutPollsAnUnknownKeyIsLookedUpAgain() {
    cache.pollSucceeded(now);
    find("a");
    land(0, new Lookup.Unknown());
    pass(Duration.ofMillis(4_999));
    assertThat(find("a")).isEqualTo(new CacheResult.Unknown());
    pass(Duration.ofSeconds(2));
    cache.pollFailed(now);
    assertThat(find("a"))
        .as("it may have been made meanwhile")
        .isEqualTo(new CacheResult.Pending());
    land(1, DOWN);
    assertThat(verdicts).last().isEqualTo(new CacheResult.Unavailable("down"));
  }

  @Test
  void aNewKeyReplacesACachedUnknown() {
    cache.pollSucceeded(now);
    find("a");
    land(0, new Lookup.Unknown());
    cache.changed(new KeyId("a"));

    assertThat(find("a")).isEqualTo(new CacheResult.Pending());
  }

  @Test
  void lookUpsAreBounded() {
    for (int i = 0; i < 32; i++) {
      assertThat(find("k" + i)).isEqualTo(new CacheResult.Pending());
    }
    assertThat(find("one more")).isInstanceOf(CacheResult.Unavailable.class);
    assertThat(find("k3")).as("joins").isEqualTo(new CacheResult.Pending());
    land(7, new Lookup.Unknown());
    assertThat(find("one more")).isEqualTo(new CacheResult.Pending());
  }

  @Test
  void invalidatedLookUpsCountUntilTheyEnd() {
    for (int i = 0; i < 32; i++) {
      find("k" + i);
    }
    cache.changedAll();
    assertThat(find("k3")).isInstanceOf(CacheResult.Unavailable.class);
    land(3, new Lookup.Unknown());
    assertThat(find("k3")).isEqualTo(new CacheResult.Pending());
  }

  @Test
  void aLoaderThatRefusesMakesTheKeyUnavailable() {
    var refusing =
        new KeyCache(
            (hash, whenDone) -> {
              throw new RejectedExecutionException("full");
            },
            KeyCache.Rules.DEFAULT);
    assertThat(refusing.find(asked("a"), null, now, Runnable::run, verdicts::add))
        .isEqualTo(new CacheResult.Pending());
    assertThat(verdicts).singleElement().isInstanceOf(CacheResult.Unavailable.class);
    assertThat(refusing.pendingLookups()).isZero();
  }

  @Test
  void aWaiterOfAnEndedLoopDoesNotAffectTheOthers() {
    cache.find(
        asked("a"),
        null,
        now,
        task -> {
          throw new RejectedExecutionException("ended");
        },
        verdicts::add);
    find("a");
    land(0, new Lookup.Unknown());

    assertThat(verdicts).containsExactly(new CacheResult.Unknown());
  }

  @Test
  void aChangeOfTheKeyOrOfItsOrganizationForgetsIt() {
    List<Runnable> changes =
        List.of(
            () -> cache.changed(new KeyId("a")),
            () -> cache.changedOrg(ORG),
            () -> cache.changedAll());
    for (Runnable change : changes) {
      learn("a", KeyState.ACTIVE);
      assertThat(find("a")).isInstanceOf(CacheResult.Known.class);
      change.run();
      assertThat(find("a")).isEqualTo(new CacheResult.Pending());
      land(loads.size() - 1, new Lookup.Found(key("a", KeyState.REVOKED)));
      assertThat(find("a")).isEqualTo(new CacheResult.Known(key("a", KeyState.REVOKED)));
      cache.changedAll();
    }
  }

  @Test
  void aChangeOfAnotherKeyForgetsNothing() {
    learn("a", KeyState.ACTIVE);
    cache.changed(new KeyId("b"));
    cache.changedOrg(new OrgId(UUID.randomUUID()));

    assertThat(find("a")).isInstanceOf(CacheResult.Known.class);
  }

  @Test
  void aLookUpFromBeforeAChangeIsNeverCached() {
    cache.pollSucceeded(now);
    find("a");
    cache.changed(new KeyId("a"));
    assertThat(find("a"))
        .as("a new look-up instead of joining")
        .isEqualTo(new CacheResult.Pending());
    assertThat(loads).hasSize(2);
    land(1, new Lookup.Found(key("a", KeyState.REVOKED)));
    land(0, new Lookup.Found(key("a", KeyState.ACTIVE)));

    assertThat(verdicts)
        .containsExactly(
            new CacheResult.Known(key("a", KeyState.REVOKED)),
            new CacheResult.Known(key("a", KeyState.ACTIVE)));
    assertThat(find("a")).isEqualTo(new CacheResult.Known(key("a", KeyState.REVOKED)));
  }

  @Test
  void withoutPollsTheStoreIsQueriedAgain() {
    learn("a", KeyState.ACTIVE);
    pass(Duration.ofSeconds(5));

    assertThat(find("a")).isEqualTo(new CacheResult.Pending());
    land(1, new Lookup.Found(key("a", KeyState.DISABLED)));
    assertThat(verdicts).last().isEqualTo(new CacheResult.Known(key("a", KeyState.DISABLED)));
    assertThat(find("a")).as("and again").isEqualTo(new CacheResult.Pending());
  }

  @Test
  void anActiveKeyIsUsableForAMinuteOfOutage() {
    learn("a", KeyState.ACTIVE);
    pass(Duration.ofSeconds(6));
    find("a");
    land(1, DOWN);
    assertThat(verdicts).last().isEqualTo(new CacheResult.Known(key("a", KeyState.ACTIVE)));

    cache.pollFailed(now);
    assertThat(find("a"))
        .as("no waiting")
        .isEqualTo(new CacheResult.Known(key("a", KeyState.ACTIVE)));

    pass(Duration.ofSeconds(54));
    cache.pollFailed(now);
    assertThat(find("a")).isEqualTo(new CacheResult.Pending());
    land(2, DOWN);
    assertThat(verdicts).last().isEqualTo(new CacheResult.Unavailable("down"));
  }

  @Test
  void aKeyThatChangedDuringItsLookUpDoesNotSurviveAnOutage() {
    learn("a", KeyState.ACTIVE);
    pass(Duration.ofSeconds(6));
    assertThat(find("a")).isEqualTo(new CacheResult.Pending());
    cache.changed(new KeyId("a"));
    cache.pollSucceeded(now);
    land(1, DOWN);
    assertThat(verdicts).last().isEqualTo(new CacheResult.Unavailable("down"));
  }

  @Test
  void aKeyThatMayNotBeUsedIsUnavailableInAnOutage() {
    for (KeyState state : List.of(KeyState.DISABLED, KeyState.REVOKED)) {
      cache.changedAll();
      learn("a", state);
      pass(Duration.ofSeconds(6));
      find("a");
      land(loads.size() - 1, DOWN);
      assertThat(verdicts).last().isEqualTo(new CacheResult.Unavailable("down"));
    }
  }

  @Test
  void anOutageNeverMakesAKeyUnknown() {
    find("stranger");
    land(0, DOWN);
    assertThat(verdicts).containsExactly(new CacheResult.Unavailable("down"));
    assertThat(find("stranger")).isEqualTo(new CacheResult.Pending());
  }

  @Test
  void fullLookUpsDoNotAffectCachedKeys() {
    learn("a", KeyState.ACTIVE);
    pass(Duration.ofSeconds(6));
    for (int i = 0; i < 32; i++) {
      find("stranger" + i);
    }
    assertThat(find("a")).isEqualTo(new CacheResult.Known(key("a", KeyState.ACTIVE)));
  }

  private void learn(String name, KeyState state) {
    cache.pollSucceeded(now);
    assertThat(find(name)).isEqualTo(new CacheResult.Pending());
    land(loads.size() - 1, new Lookup.Found(key(name, state)));
  }

  private CacheResult find(String name) {
    return cache.find(asked(name), null, now, Runnable::run, verdicts::add);
  }

  private void land(int load, Lookup lookup) {
    loads.get(load).whenDone().accept(lookup);
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  static ValidKey asked(String name) {
    return new ValidKey(new KeyId(name), name);
  }

  static ApiKey key(String name, KeyState state) {
    return new ApiKey(
        new KeyId(name),
        name,
        "wxyz",
        new Org(ORG, "org", Org.State.ACTIVE, null),
        state,
        null,
        KeyScope.ALL,
        KeyLimits.DEFAULT);
  }
}
