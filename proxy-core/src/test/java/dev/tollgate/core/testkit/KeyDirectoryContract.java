package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contract of every {@link KeyDirectory}; each implementation has a test that extends it. */
public abstract class KeyDirectoryContract {
  /** The directory under test. */
  protected abstract KeyDirectory directory();

  /** Creates a key in an organization of its own, and returns it as it was stored. */
  protected abstract ApiKey add(
      ApiKeyText.ValidKey secret,
      String name,
      KeyScope scope,
      KeyLimits limits,
      KeyState state,
      Org.State orgState);

  /** Makes the store unreachable for the rest of the test. */
  protected abstract void makeUnavailable();

  @Test
  void findsAKeyWithEverythingItWasGiven() {
    var secret = ApiKeyText.generate(new SecureRandom());
    var scope =
        new KeyScope(
            Set.of("openai/gpt-4o-mini", "mock/echo"),
            Set.of("chat", "image"),
            Set.of("10.0.0.0/8", "2001:db8::1"));
    var limits = new KeyLimits(1, 2, 3L << 40, 4, new MicroUsd(5), new MicroUsd(6));

    ApiKey stored =
        add(secret, "prod — \"main\"", scope, limits, KeyState.ACTIVE, Org.State.ACTIVE);

    assertThat(directory().find(secret.hash())).isEqualTo(new Lookup.Found(stored));
    assertThat(stored.id()).isEqualTo(secret.keyId());
    assertThat(stored.name()).isEqualTo("prod — \"main\"");
    assertThat(stored.lastFour()).isEqualTo(secret.lastFour());
    assertThat(stored.scope()).isEqualTo(scope);
    assertThat(stored.limits()).isEqualTo(limits);
    assertThat(stored.expiresAt()).isEqualTo(expiry());
  }

  @Test
  void findsAKeyWithoutAnyLimit() {
    var secret = ApiKeyText.generate(new SecureRandom());

    ApiKey stored =
        add(secret, "k", KeyScope.ALL, KeyLimits.DEFAULT, KeyState.ACTIVE, Org.State.ACTIVE);

    assertThat(directory().find(secret.hash())).isEqualTo(new Lookup.Found(stored));
    assertThat(stored.scope()).isEqualTo(KeyScope.ALL);
    assertThat(stored.limits()).isEqualTo(KeyLimits.DEFAULT);
  }

  @Test
  void findsKeysThatMayNotBeUsedWithTheirState() {
    for (KeyState state : KeyState.values()) {
      for (Org.State orgState : Org.State.values()) {
        var secret = ApiKeyText.generate(new SecureRandom());
        ApiKey stored = add(secret, "k", KeyScope.ALL, KeyLimits.DEFAULT, state, orgState);
        assertThat(directory().find(secret.hash())).isEqualTo(new Lookup.Found(stored));
        assertThat(stored.state()).isEqualTo(state);
        assertThat(stored.org().state()).isEqualTo(orgState);
      }
    }
  }

  @Test
  void doesNotKnowAStranger() {
    var secret = ApiKeyText.generate(new SecureRandom());

    assertThat(directory().find(secret.hash())).isEqualTo(new Lookup.Unknown());
  }

  @Test
  void neverReportsAKeyUnknownDuringAnOutage() {
    var secret = ApiKeyText.generate(new SecureRandom());
    makeUnavailable();

    assertThat(directory().find(secret.hash())).isInstanceOf(Lookup.Unavailable.class);
  }

  /** When the keys of {@link #add} expire. */
  protected static Instant expiry() {
    return Instant.parse("2031-02-03T04:05:06.789012Z");
  }
}
