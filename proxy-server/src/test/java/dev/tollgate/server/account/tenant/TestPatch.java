package dev.tollgate.server.account.tenant;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.server.account.Patch;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Change of a key, built field by field. */
public final class TestPatch {
  private Patch<String> name = Patch.keep();
  private Patch<@Nullable List<String>> models = Patch.keep();
  private Patch<@Nullable Long> daily = Patch.keep();
  private Patch<@Nullable Long> monthly = Patch.keep();
  private Patch<@Nullable Instant> expiresAt = Patch.keep();
  private boolean force;

  public static TestPatch patch() {
    return new TestPatch();
  }

  public static TestPatch named(String name) {
    TestPatch made = new TestPatch();
    made.name = Patch.set(name);
    return made;
  }

  public TestPatch daily(@Nullable Long micro) {
    daily = Patch.set(micro);
    return this;
  }

  public TestPatch monthly(@Nullable Long micro) {
    monthly = Patch.set(micro);
    return this;
  }

  public TestPatch expires(Instant at) {
    expiresAt = Patch.set(at);
    return this;
  }

  public TestPatch models(String... ids) {
    models = Patch.set(List.of(ids));
    return this;
  }

  public TestPatch force() {
    force = true;
    return this;
  }

  public KeyPatch make() {
    return new KeyPatch(
        name,
        Patch.keep(),
        models,
        Patch.keep(),
        Patch.keep(),
        null,
        daily,
        monthly,
        expiresAt,
        force);
  }

  public NewKeyFields wish() {
    return new NewKeyFields(make(), null);
  }

  public NewKeyFields copyOf(KeyId model) {
    return new NewKeyFields(make(), model);
  }
}
