package dev.tollgate.server.account.signin;

import static org.assertj.core.api.Assertions.assertThat;

import com.password4j.Argon2Function;
import com.password4j.types.Argon2;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.Refused;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
  void aFullQueueRefusesWithRetryAfter() throws Exception {
    int calls = 60;
    List<Refused> refused = new ArrayList<>();
    try (var callers = Executors.newFixedThreadPool(calls)) {
      Callable<Secret> call = () -> PASSWORDS.hash(TestAccounts.PASSWORD);
      List<Future<Secret>> all = callers.invokeAll(Collections.nCopies(calls, call));
      for (Future<Secret> each : all) {
        try {
          assertThat(each.get().reveal()).startsWith("$argon2id$");
        } catch (ExecutionException e) {
          refused.add((Refused) e.getCause());
        }
      }
    }

    assertThat(refused).isNotEmpty();
    assertThat(refused)
        .allSatisfy(
            each -> {
              assertThat(each.fault().code()).isEqualTo(ErrorCode.RATE_LIMITED);
              assertThat(each.fault().retryAfterSeconds()).isEqualTo(1);
            });
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
