package dev.tollgate.core.tenant;

import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.testkit.TestCatalog;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Benchmark of authentication with a cached key, from its text to the key. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KnownKeyJmh {
  private final String text = ApiKeyText.generate(new SecureRandom()).text();
  private final KeyCache cache =
      new KeyCache(
          (hash, whenDone) -> whenDone.accept(new Lookup.Found(TestCatalog.key())),
          KeyCache.Rules.DEFAULT);

  @Setup
  public void learn() {
    cache.pollSucceeded(0);
    find();
    if (!(find() instanceof CacheResult.Known)) {
      throw new AssertionError("the key is not known");
    }
  }

  @Benchmark
  public CacheResult find() {
    if (ApiKeyText.parse(text) instanceof ApiKeyText.ValidKey key) {
      return cache.find(key, null, 1, Runnable::run, verdict -> {});
    }
    throw new AssertionError(text);
  }
}
