package dev.tollgate.server.account.signin;

import static dev.tollgate.server.account.signin.TestAccounts.PASSWORD;
import static dev.tollgate.server.account.signin.TestAccounts.anonymous;
import static dev.tollgate.server.account.signin.TestAccounts.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.mail.MailLinks;
import dev.tollgate.server.mail.MailOutbox;
import dev.tollgate.server.postgres.tenants.Seal;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Set-up, sign-up, links in mails, and what people and operators do with accounts. */
class OwnAccountIT {
  private static final Secret NEW = new Secret("another horse 9 battery");
  private TestAccounts accounts;

  @BeforeEach
  void open() throws Exception {
    accounts = TestAccounts.make();
  }

  @AfterEach
  void close() {
    accounts.close();
  }

  private String signIn(String email, Secret password) {
    return refusal(
        () -> accounts.signIn.signIn(anonymous(), new SignIn.SignInRequest(email, password)));
  }

  private Caller signedIn(User user) throws Exception {
    return accounts.caller(accounts.cookie(user));
  }

  private static Secret tokenOf(String link) {
    return new Secret(link.substring(link.indexOf('#') + 1));
  }

  private SetUp.SetUpRequest setUp(Secret token, String email) {
    return new SetUp.SetUpRequest(token, email, PASSWORD, "N");
  }

  @Test
  void theFirstAccountIsAnOperatorAndOwnsTheFirstOrganization() throws Exception {
    accounts.org("first");
    accounts.org("second");
    String replaced = accounts.setUp.begin().orElseThrow();
    String link = accounts.setUp.begin().orElseThrow();
    assertThat(link).startsWith("https://gate.example/setup#");
    assertThat(
            refusal(
                () ->
                    accounts.setUp.complete(anonymous(), setUp(tokenOf(replaced), "a@b.example"))))
        .isEqualTo("invalid_credentials");

    SignedIn first = accounts.setUp.complete(anonymous(), setUp(tokenOf(link), "a@b.example"));

    assertThat(first.session().operator()).isTrue();
    assertThat(first.session().memberships())
        .extracting(each -> each.org().name() + " " + each.role())
        .containsExactly("first owner");
    assertThat(accounts.caller(first.cookie().reveal()).isOperator()).isTrue();
    assertThat(accounts.setUp.isRequired()).isFalse();
    assertThat(accounts.setUp.begin()).isEmpty();
    assertThat(
            refusal(
                () -> accounts.setUp.complete(anonymous(), setUp(tokenOf(link), "c@b.example"))))
        .isEqualTo("not_found");
    assertThat(accounts.setUp.bootstrap("d@b.example", PASSWORD)).isFalse();
  }

  @Test
  void fiveWrongTokensBurnTheLink() throws Exception {
    Secret token = tokenOf(accounts.setUp.begin().orElseThrow());
    for (int i = 0; i < SetUp.FAILURES_MAX; i++) {
      assertThat(
              refusal(
                  () ->
                      accounts.setUp.complete(
                          anonymous(), setUp(new Secret("wrong"), "a@b.example"))))
          .isEqualTo("invalid_credentials");
    }

    assertThat(refusal(() -> accounts.setUp.complete(anonymous(), setUp(token, "a@b.example"))))
        .isEqualTo("invalid_credentials");
  }

  @Test
  void twoBrowsersSetUpAtOnceAndOneWins() throws Exception {
    Secret token = tokenOf(accounts.setUp.begin().orElseThrow());
    List<Callable<String>> both = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      SetUp.SetUpRequest request = setUp(token, "first" + i + "@b.example");
      both.add(() -> refusal(() -> accounts.setUp.complete(anonymous(), request)));
    }

    assertThat(allAtOnce(both))
        .containsExactlyInAnyOrder("none", "not_found", "not_found", "not_found");
    assertThat(accounts.query("SELECT count(*) FROM user_account")).containsExactly("1");
  }

  private static List<String> allAtOnce(List<Callable<String>> calls) throws Exception {
    List<String> answers = new ArrayList<>();
    try (var threads = Executors.newFixedThreadPool(calls.size())) {
      for (Future<String> each : threads.invokeAll(calls)) {
        answers.add(each.get());
      }
    }
    return answers;
  }

  @Test
  void aSignUpIsVerifiedByItsLinkOnce() throws Exception {
    accounts.signUp.signUp(anonymous(), new SignUp.SignUpRequest("New@up.example", PASSWORD, "N"));
    assertThat(signIn("new@up.example", PASSWORD)).isEqualTo("email_not_verified");
    String token = accounts.secretMailed("verify-email");

    accounts.verification.verify(anonymous(), token);

    assertThat(signIn("new@up.example", PASSWORD)).isEqualTo("none");
    assertThat(refusal(() -> accounts.verification.verify(anonymous(), token)))
        .isEqualTo("validation_failed link_used_or_expired");
  }

  @Test
  void aSignUpOfAKnownAddressTellsOnlyItsMailbox() throws Exception {
    accounts.user("known@up.example");

    accounts.signUp.signUp(anonymous(), new SignUp.SignUpRequest("known@up.example", NEW, "M"));

    assertThat(accounts.query("SELECT kind FROM mail_outbox")).containsExactly("account-exists");
    assertThat(signIn("known@up.example", NEW)).isEqualTo("invalid_credentials");
    assertThat(signIn("known@up.example", PASSWORD)).isEqualTo("none");
  }

  @Test
  void theLastSignUpOfAPendingAddressHasTheLinkThatWorks() throws Exception {
    accounts.signUp.signUp(
        anonymous(), new SignUp.SignUpRequest("race@up.example", PASSWORD, "Thief"));
    String first = accounts.secretMailed("verify-email");
    accounts.sql("DELETE FROM sign_in_throttle");
    accounts.signUp.signUp(anonymous(), new SignUp.SignUpRequest("race@up.example", NEW, "Owner"));

    assertThat(refusal(() -> accounts.verification.verify(anonymous(), first)))
        .isEqualTo("validation_failed link_used_or_expired");
    accounts.sql("DELETE FROM mail_outbox WHERE position('" + first + "'::bytea in message) > 0");
    accounts.verification.verify(anonymous(), accounts.secretMailed("verify-email"));
    assertThat(signIn("race@up.example", NEW)).isEqualTo("none");
    assertThat(signIn("race@up.example", PASSWORD)).isEqualTo("invalid_credentials");
  }

  @Test
  void aSignUpNeedsAnInvitationUnlessItIsOpen() {
    var closed =
        new SignUp(accounts.store.pool(), accounts.throttle, accounts.passwords, mail(), false);

    assertThat(
            refusal(
                () ->
                    closed.signUp(
                        anonymous(), new SignUp.SignUpRequest("a@b.example", PASSWORD, "N"))))
        .isEqualTo("forbidden");
  }

  private AccountMail mail() {
    return new AccountMail(
        new MailOutbox(accounts.store.pool(), new Seal(List.of()), false),
        new MailLinks(() -> "https://gate.example"));
  }

  @Test
  void allIssuesOfASignUpAreToldAtOnce() {
    assertThat(
            refusal(
                () ->
                    accounts.signUp.signUp(
                        anonymous(),
                        new SignUp.SignUpRequest("no address", new Secret("short"), " "))))
        .isEqualTo("validation_failed");
  }

  @Test
  void aForgottenPasswordIsSetByALinkAndEndsAllSessions() throws Exception {
    User user = accounts.user("forgot@reset.example");
    String cookie = accounts.cookie(user);
    accounts.reset.forgot("nobody@reset.example");
    accounts.reset.forgot("Forgot@reset.example");
    accounts.reset.forgot("forgot@reset.example");
    assertThat(accounts.query("SELECT kind FROM mail_outbox")).containsExactly("reset-password");
    String token = accounts.secretMailed("reset-password");

    assertThat(refusal(() -> accounts.reset.reset(anonymous(), token, new Secret("password1234"))))
        .isEqualTo("validation_failed");
    accounts.reset.reset(anonymous(), token, NEW);

    assertThat(refusal(() -> accounts.caller(cookie))).isEqualTo("unauthenticated");
    assertThat(signIn("forgot@reset.example", PASSWORD)).isEqualTo("invalid_credentials");
    assertThat(signIn("forgot@reset.example", NEW)).isEqualTo("none");
    assertThat(refusal(() -> accounts.reset.reset(anonymous(), token, PASSWORD)))
        .isEqualTo("validation_failed link_used_or_expired");
  }

  @Test
  void anExpiredLinkDoesNotWork() throws Exception {
    accounts.user("late@reset.example");
    accounts.reset.forgot("late@reset.example");
    String token = accounts.secretMailed("reset-password");
    accounts.sql("UPDATE one_time_token SET expires_at = ledger_now()");

    assertThat(refusal(() -> accounts.reset.reset(anonymous(), token, NEW)))
        .isEqualTo("validation_failed link_used_or_expired");
  }

  @Test
  void anHourBringsThreeMailsAtMost() throws Exception {
    accounts.user("three@mail.example");
    for (int i = 0; i < 6; i++) {
      accounts.reset.forgot("three@mail.example");
      accounts.sql(
          "UPDATE sign_in_throttle SET since = since - interval '61 seconds'"
              + " WHERE bucket LIKE 'mail1:%'");
    }

    assertThat(accounts.query("SELECT kind FROM mail_outbox")).hasSize(3);
  }

  @Test
  void aNewPasswordEndsOtherSessionsAndGivesANewCookie() throws Exception {
    User user = accounts.user("pass@own.example");
    String other = accounts.cookie(user);
    String cookie = accounts.cookie(user);
    Caller caller = accounts.caller(cookie);
    assertThat(refusal(() -> accounts.own.changePassword(caller, NEW, NEW)))
        .isEqualTo("invalid_credentials");
    assertThat(refusal(() -> accounts.own.changePassword(caller, null, NEW)))
        .isEqualTo("validation_failed");

    String renewed = accounts.own.changePassword(caller, PASSWORD, NEW).reveal();

    assertThat(refusal(() -> accounts.caller(other))).isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.caller(cookie))).isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.caller(renewed))).isEqualTo("none");
    assertThat(signIn(user.email(), NEW)).isEqualTo("none");
  }

  @Test
  void anAddressChangesWhenTheNewMailboxAgreesAndOtherSessionsEnd() throws Exception {
    User user = accounts.user("old@own.example");
    accounts.user("taken@own.example");
    String other = accounts.cookie(user);
    Caller caller = signedIn(user);
    accounts.own.changeEmail(caller, "taken@own.example");
    assertThat(accounts.query("SELECT kind FROM mail_outbox")).isEmpty();
    accounts.own.changeEmail(caller, "fresh@own.example");
    assertThat(accounts.query("SELECT to_address FROM mail_outbox ORDER BY 1"))
        .containsExactly("fresh@own.example", "old@own.example");

    accounts.verification.verify(caller, accounts.secretMailed("change-email"));

    assertThat(signIn("old@own.example", PASSWORD)).isEqualTo("invalid_credentials");
    assertThat(signIn("fresh@own.example", PASSWORD)).isEqualTo("none");
    assertThat(refusal(() -> accounts.caller(other))).isEqualTo("unauthenticated");
    assertThat(accounts.sessions.list(caller)).isNotEmpty();
  }

  @Test
  void fieldsChangeWithTheirVersion() throws Exception {
    User user = accounts.user("fields@own.example");
    Caller caller = signedIn(user);
    var changed =
        accounts.own.update(
            caller,
            new OwnAccount.AccountChanges("New Name", "Europe/Zurich", null, user.version()));

    assertThat(changed.name()).isEqualTo("New Name");
    assertThat(changed.timezone()).isEqualTo("Europe/Zurich");
    assertThat(changed.locale()).isEqualTo("en");
    assertThat(
            refusal(
                () ->
                    accounts.own.update(
                        caller,
                        new OwnAccount.AccountChanges("Other", null, null, user.version()))))
        .isEqualTo("conflict version");
    assertThat(
            refusal(
                () ->
                    accounts.own.update(
                        caller, new OwnAccount.AccountChanges(" ", "Mars/Olympus", "??", null))))
        .isEqualTo("validation_failed");
    assertThat(accounts.query("SELECT changes FROM audit_event WHERE action = 'user.update'"))
        .containsExactly(
            "[{\"field\":\"name\",\"from\":\"N\",\"to\":\"New Name\"},"
                + "{\"field\":\"timezone\",\"from\":\"UTC\",\"to\":\"Europe/Zurich\"}]");
  }

  @Test
  void aClosedAccountIsErasedAndItsIdStays() throws Exception {
    User user = accounts.user("close@own.example");
    User second = accounts.user("second@own.example");
    accounts.org("shared", user.id(), second.id());
    String cookie = accounts.cookie(user);

    accounts.own.close(accounts.caller(cookie));

    assertThat(refusal(() -> accounts.caller(cookie))).isEqualTo("unauthenticated");
    assertThat(
            accounts.query(
                "SELECT concat_ws('|', state, email, name, password_hash) FROM user_account"
                    + " WHERE id = '"
                    + user.id()
                    + "'"))
        .containsExactly("closed|");
    assertThat(accounts.query("SELECT user_id FROM membership"))
        .containsExactly(second.id().toString());
    assertThat(accounts.user("close@own.example").id()).isNotEqualTo(user.id());
  }

  @Test
  void theOnlyOwnerAndTheOnlyOperatorStay() throws Exception {
    User owner = accounts.user("owner@own.example");
    accounts.org("alone", owner.id());
    User operator = accounts.user("operator@own.example", UserState.ACTIVE, true);
    Caller asOperator = signedIn(operator);

    assertThat(refusal(() -> accounts.own.close(signedIn(owner)))).isEqualTo("conflict last_owner");
    assertThat(refusal(() -> accounts.own.close(asOperator))).isEqualTo("conflict last_operator");
    assertThat(
            refusal(
                () ->
                    accounts.users.change(
                        asOperator,
                        operator.id(),
                        new OperatorUsers.UserChanges(null, false, null))))
        .isEqualTo("conflict last_operator");
    assertThat(
            refusal(
                () ->
                    accounts.users.change(
                        asOperator,
                        owner.id(),
                        new OperatorUsers.UserChanges(UserState.DISABLED, null, null))))
        .isEqualTo("conflict last_owner");
  }

  @Test
  void ofTwoOwnersAndOperatorsWhoLeaveAtOnceOneStays() throws Exception {
    User first = accounts.user("first@own.example", UserState.ACTIVE, true);
    User second = accounts.user("second@own.example", UserState.ACTIVE, true);
    accounts.org("shared", first.id(), second.id());
    Caller one = signedIn(first);
    Caller two = signedIn(second);

    List<String> answers =
        allAtOnce(
            List.of(
                () -> refusal(() -> accounts.own.close(one)),
                () -> refusal(() -> accounts.own.close(two))));

    assertThat(answers).contains("none");
    assertThat(answers).containsAnyOf("conflict last_owner", "conflict last_operator");
  }

  @Test
  void theDatabaseKeepsAnOwnerWhateverTwoChangesAtOnceDo() throws Exception {
    User first = accounts.user("first@trigger.example");
    User second = accounts.user("second@trigger.example");
    accounts.org("shared", first.id(), second.id());
    String delete = "DELETE FROM membership WHERE user_id = '" + first.id() + "'";
    String lower = "UPDATE membership SET role = 'admin' WHERE user_id = '" + second.id() + "'";

    assertThat(
            allAtOnce(
                List.of(
                    () -> refusal(() -> changeMembers(delete)),
                    () -> refusal(() -> changeMembers(lower)))))
        .containsExactlyInAnyOrder("none", "conflict last_owner");
  }

  private void changeMembers(String sql) throws Exception {
    AccountTransactions.run(
        accounts.store.pool(),
        connection -> {
          try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
          }
        });
  }

  @Test
  void operatorsSeeCreateAndChangeAccounts() throws Exception {
    User operator = accounts.user("op@users.example", UserState.ACTIVE, true);
    Caller asOperator = signedIn(operator);
    Caller asUser = signedIn(accounts.user("plain@users.example"));
    String link =
        accounts.users.create(
            Caller.cli(), new OperatorUsers.UserCreation("made@users.example", null, true));
    accounts.reset.reset(anonymous(), tokenOf(link).reveal(), NEW);
    assertThat(signIn("made@users.example", NEW)).isEqualTo("none");

    var query = new OperatorUsers.UserQuery("USERS.example", null, true);
    var found = accounts.users.list(asOperator, query, Page.first(1));
    assertThat(found.data()).hasSize(1).allMatch(OperatorUsers.UserEntry::operator);
    var rest = new OperatorUsers.UserQuery(null, UserState.ACTIVE, true);
    assertThat(accounts.users.list(asOperator, rest, new Page(5, found.next())).data())
        .extracting(OperatorUsers.UserEntry::email)
        .containsExactly("op@users.example");
    assertThat(refusal(() -> accounts.users.list(asUser, query, Page.first(1))))
        .isEqualTo("forbidden");
    assertThat(refusal(() -> accounts.users.list(anonymous(), query, Page.first(1))))
        .isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.users.list(asOperator, query, new Page(1, "'; --"))))
        .isEqualTo("validation_failed");
    assertThat(refusal(() -> accounts.users.get(asOperator, TestAccounts.unknownUser())))
        .isEqualTo("not_found");
    assertThat(accounts.users.endSessions(asOperator, found.data().getFirst().id())).isEqualTo(1);
    assertThat(
            refusal(
                () ->
                    accounts.users.create(
                        asOperator,
                        new OperatorUsers.UserCreation("MADE@users.example", "N", false))))
        .isEqualTo("conflict email_taken");
    assertThat(accounts.users.resetLink(asOperator, found.data().getFirst().id()))
        .hasValueSatisfying(made -> assertThat(made).contains("/reset#"));
  }
}
