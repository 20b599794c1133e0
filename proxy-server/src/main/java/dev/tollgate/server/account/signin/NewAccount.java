package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Address, password and name of a new account, which passed all rules. */
public record NewAccount(EmailAddress email, Secret password, String name) {

  /**
   * Checks what a person typed.
   *
   * @throws Refused 400 with all issues
   */
  public static NewAccount require(String email, Secret password, String name) {
    List<Issue> issues = new ArrayList<>();
    Optional<EmailAddress> address = EmailAddress.parse(email);
    if (address.isEmpty()) {
      issues.add(new Issue("email", EmailAddress.EXPECTED));
    }
    UserFields.checkName(name, issues);
    PasswordRules.problem(
            "password", password, address.orElse(new EmailAddress(email, email)), name)
        .ifPresent(issues::add);
    if (!issues.isEmpty()) {
      throw Refused.invalid(issues);
    }
    return new NewAccount(address.orElseThrow(), password, name);
  }
}
