package dev.tollgate.server.account.signin;

import com.password4j.Argon2Function;
import com.password4j.types.Argon2;
import dev.tollgate.core.catalog.Secret;

/**
 * Password of the tests' accounts, with a hash that takes a hundredth of the time of the gateway's
 * own: few tests are about what a hash costs. A sign-in replaces it by one of full cost.
 */
public final class KnownPassword {
  public static final String TEXT = "correct horse 9 battery";

  static final Argon2Function CHEAP = Argon2Function.getInstance(512, 1, 1, 32, Argon2.ID);

  private KnownPassword() {}

  public static Secret hash() {
    return new Secret(CHEAP.hash(TEXT).getResult());
  }
}
