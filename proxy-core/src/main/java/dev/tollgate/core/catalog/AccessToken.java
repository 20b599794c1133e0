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
  private final AtomicReference<@Nullable FetchedToken> current = new AtomicReference<>();
  private volatile Runnable refetch = () -> {};
  private final AtomicBoolean refetchRequested = new AtomicBoolean();

  /**
   * A token that is there.
   *
   * @param fetchedAfterRefusal whether it was fetched since the one before it was refused
   */
  private record FetchedToken(Secret token, boolean fetchedAfterRefusal) {}

  /** The token; empty while there is none. */
  public Optional<Secret> current() {
    return Optional.ofNullable(current.get()).map(FetchedToken::token);
  }

  public void replace(Secret token) {
    current.set(new FetchedToken(token, refetchRequested.getAndSet(false)));
  }

  /** Says how another is fetched ahead of time, by whichever thread and however often it is run. */
  public void onRefusal(Runnable fetch) {
    refetch = fetch;
  }

  /**
   * The provider did not take a token, and another is asked for.
   *
   * @return whether another may help: the one that was sent was not itself fetched for that
   */
  public boolean refused(Optional<Secret> sent) {
    FetchedToken fetched = current.get();
    if (fetched == null || sent.isEmpty() || !fetched.token.equals(sent.get())) {
      return true; // there is another by now, or will be
    }
    refetchRequested.set(true);
    refetch.run();
    return !fetched.fetchedAfterRefusal;
  }

  /** It expired, and there is no other. */
  public void clear() {
    current.set(null);
  }
}
