package dev.tollgate.server.account.signin;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.password4j.Argon2Function;
import com.password4j.types.Argon2;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.server.account.Refused;
import java.security.SecureRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Hasher of passwords with Argon2id. A hash takes 46 MiB and some 40 ms of a processor, so two
 * threads of its own compute them for a short queue, and what comes on top is refused.
 */
public final class Passwords implements AutoCloseable {
  static final int THREADS = 2;
  static final int QUEUE_MAX = 16;
  private static final int MEMORY_KIB = 47_104;
  private static final int ITERATIONS = 1;
  private static final int PARALLELISM = 1;
  private static final int HASH_BYTES = 32;
  private static final int SALT_BYTES = 16;

  private static final Argon2Function ARGON2ID =
      Argon2Function.getInstance(MEMORY_KIB, ITERATIONS, PARALLELISM, HASH_BYTES, Argon2.ID);

  private final Hashing hashing;
  private final SecureRandom random = new SecureRandom();
  private final LongAdder computed = new LongAdder();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(QUEUE_MAX),
          Thread.ofPlatform().name("password-", 1).daemon().factory());

  /** Hash that no password has, for accounts that do not exist. */
  private final Secret dummy;

  public Passwords() {
    this(new Argon2id(ARGON2ID));
  }

  Passwords(Hashing hashing) {
    this.hashing = hashing;
    this.dummy = new Secret(compute(new byte[SALT_BYTES]));
  }

  /** Port to the function that computes hashes as PHC strings. */
  interface Hashing {
    String hash(byte[] password, byte[] salt);

    boolean isOf(byte[] password, String phc);

    /** True if this function would have computed it. */
    boolean hasParametersOf(String phc);
  }

  /** Argon2id with its parameters for new hashes; each hash is compared with its own. */
  record Argon2id(Argon2Function function) implements Hashing {
    @Override
    public String hash(byte[] password, byte[] salt) {
      return function.hash(password, salt).getResult();
    }

    @Override
    public boolean isOf(byte[] password, String phc) {
      return Argon2Function.getInstanceFromHash(phc).check(password, phc.getBytes(UTF_8));
    }

    @Override
    public boolean hasParametersOf(String phc) {
      return Argon2Function.getInstanceFromHash(phc).equals(function);
    }
  }

  /**
   * Returns the hash of a password as a PHC string. Blocks.
   *
   * @throws Refused 429 if the queue is full
   */
  public Secret hash(Secret password) {
    byte[] text = PasswordRules.normalized(password).getBytes(UTF_8);
    return new Secret(run(() -> compute(text)));
  }

  /**
   * True if the password has this hash. Without a hash it is false, in the same time. Blocks.
   *
   * @throws Refused 429 if the queue is full
   */
  public boolean verify(Secret password, @Nullable Secret hash) {
    if (hash == null || password.reveal().length() > PasswordRules.CHARS_MAX) {
      return check("", dummy); // never true, but it takes as long
    }
    return check(PasswordRules.normalized(password), hash);
  }

  private boolean check(String password, Secret hash) {
    byte[] text = password.getBytes(UTF_8);
    String phc = hash.reveal();
    return run(() -> hashing.isOf(text, phc));
  }

  /** True if the hash was computed with other parameters than today's. */
  boolean isOutdated(Secret hash) {
    return !hashing.hasParametersOf(hash.reveal());
  }

  /** Returns how many passwords wait for a thread. */
  public int waiting() {
    return threads.getQueue().size();
  }

  /** Returns how many hashes were computed. */
  long computed() {
    return computed.sum();
  }

  private String compute(byte[] password) {
    byte[] salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return hashing.hash(password, salt);
  }

  private <T> T run(Callable<T> work) {
    var task = new FutureTask<>(work);
    try {
      threads.execute(task);
      T result = task.get();
      computed.increment();
      return result;
    } catch (RejectedExecutionException full) {
      throw new Refused(
          Fault.of(ErrorCode.RATE_LIMITED, "Too many passwords are being checked.")
              .withRetryAfter(1));
    } catch (ExecutionException e) {
      throw new IllegalStateException("a password cannot be hashed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refused(Fault.tryLater("The gateway is stopping."));
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
