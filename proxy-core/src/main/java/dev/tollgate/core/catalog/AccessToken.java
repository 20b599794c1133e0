package dev.tollgate.core.catalog;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Current access token of a provider key, sent to the provider in place of the key itself. Another
 * component fetches it, renews it before it expires and clears it when it has expired. Shared by
 * all loops: one atomic reference to an immutable token.
 */
public final class AccessToken {
  private final AtomicReference<@Nullable FetchedToken> current = new AtomicReference<>();
  private volatile Runnable refetch = () -> {};
  private final AtomicBoolean refetchRequested = new AtomicBoolean();

  /**
   * Fetched token, with the cause of its fetch.
   *
   * @param fetchedAfterRefusal true if it was fetched because the provider refused the one before
   *     it
   */
  private record FetchedToken(Secret token, boolean fetchedAfterRefusal) {}

  /** Returns the token; empty means there is none yet, or it has expired. */
  public Optional<Secret> current() {
    return Optional.ofNullable(current.get()).map(FetchedToken::token);
  }

  public void replace(Secret token) {
    current.set(new FetchedToken(token, refetchRequested.getAndSet(false)));
  }

  /**
   * Sets the action that fetches another token ahead of time; any thread may run it, any number of
   * times.
   */
  public void onRefusal(Runnable fetch) {
    refetch = fetch;
  }

  /**
   * Reports that the provider refused a token, and requests another one.
   *
   * @return true if another token may help: the refused one was not itself fetched after a refusal
   */
  public boolean refused(Optional<Secret> sent) {
    FetchedToken fetched = current.get();
    if (fetched == null || sent.isEmpty() || !fetched.token.equals(sent.get())) {
      return true; // the token was replaced meanwhile, or is being fetched
    }
    refetchRequested.set(true);
    refetch.run();
    return !fetched.fetchedAfterRefusal;
  }

  /** Removes a token that has expired. */
  public void clear() {
    current.set(null);
  }
}
