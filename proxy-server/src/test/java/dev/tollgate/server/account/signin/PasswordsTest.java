package dev.tollgate.server.account.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.password4j.Argon2Function;
import com.password4j.types.Argon2;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hashes of passwords, and which passwords are accepted. */
class PasswordsTest {
  private static final Passwords PASSWORDS = new Passwords();
  private static final EmailAddress EMAIL = EmailAddress.parse("ann.smith@a.example").orElseThrow();

  @AfterAll
  static void close() {
    PASSWORDS.close();
  }

  @Test
  void aHashIsAPhcStringOfArgon2id() {
    Secret hash = PASSWORDS.hash(TestAccounts.PASSWORD);

    assertThat(hash.reveal()).startsWith("$argon2id$v=19$m=47104,t=1,p=1$");
    assertThat(PASSWORDS.verify(TestAccounts.PASSWORD, hash)).isTrue();
    assertThat(PASSWORDS.verify(new Secret("correct horse 9 batterY"), hash)).isFalse();
    assertThat(PASSWORDS.isOutdated(hash)).isFalse();
  }

  @Test
  void aPasswordTypedInAnotherUnicodeFormIsTheSame() {
    Secret hash = PASSWORDS.hash(new Secret("Z\u00fcrich am See 1"));

    assertThat(PASSWORDS.verify(new Secret("Zu\u0308rich am See 1"), hash)).isTrue();
  }

  @Test
  void withoutAHashNoPasswordIsRight() {
    assertThat(PASSWORDS.verify(new Secret(""), null)).isFalse();
    assertThat(PASSWORDS.verify(TestAccounts.PASSWORD, null)).isFalse();
    assertThat(PASSWORDS.verify(new Secret("x".repeat(100_000)), null)).isFalse();
  }

  @Test
  void aHashOfOtherParametersIsOutdatedAndStillVerified() {
    var weaker = Argon2Function.getInstance(1024, 1, 1, 32, Argon2.ID);
    var hash = new Secret(weaker.hash(TestAccounts.PASSWORD.reveal()).getResult());

    assertThat(PASSWORDS.verify(TestAccounts.PASSWORD, hash)).isTrue();
    assertThat(PASSWORDS.isOutdated(hash)).isTrue();
  }

  @Test
  void twoPasswordsAreHashedSixteenWaitAndTheRestIsRefused() throws Exception {
    var held = new HeldHashing();
    var hash = new Secret("held");
    int accepted = Passwords.THREADS + Passwords.QUEUE_MAX;
    try (var passwords = new Passwords(held);
        var callers = Executors.newFixedThreadPool(accepted)) {
      List<Future<Boolean>> answers = new ArrayList<>();
      for (int i = 0; i < accepted; i++) {
        answers.add(callers.submit(() -> passwords.verify(TestAccounts.PASSWORD, hash)));
      }
      held.begun.acquire(Passwords.THREADS);
      while (passwords.waiting() < Passwords.QUEUE_MAX) {
        Thread.onSpinWait();
      }

      for (int i = accepted; i < 200; i++) {
        Refused refused =
            catchThrowableOfType(
                Refused.class, () -> passwords.verify(TestAccounts.PASSWORD, hash));
        assertThat(refused.fault().code()).isEqualTo(ErrorCode.RATE_LIMITED);
        assertThat(refused.fault().retryAfterSeconds()).isEqualTo(1);
      }
      assertThat(held.begun.availablePermits()).as("begun beside the two").isZero();
      held.goOn.countDown();
      for (Future<Boolean> each : answers) {
        assertThat(each.get(10, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(passwords.computed()).isEqualTo(accepted);
    }
  }

  /** Hashing that stops until it is told to go on. */
  private static final class HeldHashing implements Passwords.Hashing {
    final Semaphore begun = new Semaphore(0);
    final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public String hash(byte[] password, byte[] salt) {
      return "none";
    }

    @Override
    public boolean isOf(byte[] password, String phc) {
      begun.release();
      try {
        return goOn.await(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public boolean hasParametersOf(String phc) {
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "short 1 aaa",
        "password1234",
        "P@SSWORD1234",
        "Passwordpassword",
        "qwertyuiop12345",
        "1234567890123",
        "aaaaaaaaaaaa",
        "abcabcabcabcabc",
        "ann.smith@a.example",
        "ANN.SMITH@A.EXAMPLE",
        "Ann Elisabeth Smith",
      })
  void aCommonOrOwnPasswordIsRefused(String password) {
    assertThat(
            PasswordRules.problem("password", new Secret(password), EMAIL, "ann elisabeth smith"))
        .map(Issue::param)
        .contains("password");
  }

  @ParameterizedTest
  @ValueSource(strings = {"correct horse 9 battery", "another horse 9 battery", "vier Woerter 12"})
  void anyOtherPasswordIsAccepted(String password) {
    assertThat(PasswordRules.problem("password", new Secret(password), EMAIL, "N")).isEmpty();
  }

  @Test
  void theLengthIsCountedInCharacters() {
    assertThat(PasswordRules.problem("p", new Secret("\ud83d\ude00".repeat(6)), EMAIL, "N"))
        .isPresent();
    assertThat(PasswordRules.problem("p", new Secret("ab1 ".repeat(64) + "x"), EMAIL, "N"))
        .isPresent();
  }
}
