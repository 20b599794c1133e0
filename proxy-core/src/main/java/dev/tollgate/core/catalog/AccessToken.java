package dev.tollgate.core.catalog;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What is sent in the place of a key that itself is never sent: somebody else fetches it, renews it
 * before it expires and takes it away when it did. Shared by all loops: one atomic reference.
 */
public final class AccessToken {
  private final AtomicReference<@Nullable Secret> current = new AtomicReference<>();

  /** The token; empty while there is none. */
  public Optional<Secret> current() {
    return Optional.ofNullable(current.get());
  }

  public void replace(Secret token) {
    current.set(token);
  }

  /** It expired, and there is no other. */
  public void lose() {
    current.set(null);
  }
}
