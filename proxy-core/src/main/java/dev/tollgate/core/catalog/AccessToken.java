package dev.tollgate.core.catalog;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What is sent in the place of a key that itself is never sent: somebody else fetches it, renews it
 * before it expires and takes it away when it did. Shared by all loops: one atomic reference to an
 * immutable.
 */
public final class AccessToken {
  private final AtomicReference<@Nullable Held> current = new AtomicReference<>();
  private volatile Runnable fetching = () -> {};
  private final AtomicBoolean asked = new AtomicBoolean();

  /**
   * A token that is there.
   *
   * @param again whether it was fetched since the one before it was refused
   */
  private record Held(Secret token, boolean again) {}

  /** The token; empty while there is none. */
  public Optional<Secret> current() {
    return Optional.ofNullable(current.get()).map(Held::token);
  }

  public void replace(Secret token) {
    current.set(new Held(token, asked.getAndSet(false)));
  }

  /** Says how another is fetched ahead of time, by whichever thread and however often it is run. */
  public void onRefusal(Runnable fetch) {
    fetching = fetch;
  }

  /**
   * The provider did not take a token, and another is asked for.
   *
   * @return whether another may help: the one that was sent was not itself fetched for that
   */
  public boolean refused(Optional<Secret> sent) {
    Held held = current.get();
    if (held == null || sent.isEmpty() || !held.token.equals(sent.get())) {
      return true; // there is another by now, or will be
    }
    asked.set(true);
    fetching.run();
    return !held.again;
  }

  /** It expired, and there is no other. */
  public void lose() {
    current.set(null);
  }
}
