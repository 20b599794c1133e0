package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.org.NewPeople;
import dev.tollgate.server.account.signin.NewAccount;
import dev.tollgate.server.account.signin.Passwords;
import dev.tollgate.server.account.signin.User;
import dev.tollgate.server.account.signin.UserState;
import dev.tollgate.server.account.signin.Users;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Accounts of people who accept invitations: active at once, since the link proved the address. */
record InvitedPeople(Passwords passwords) implements NewPeople {
  @Override
  public Prepared prepare(String email, String password, String name) {
    NewAccount account = NewAccount.require(email, new Secret(password), name);
    Secret hash = passwords.hash(account.password());
    return (connection, caller) -> insert(connection, caller, account, hash);
  }

  private static Optional<UserId> insert(
      Connection connection, Caller caller, NewAccount account, Secret hash) throws SQLException {
    var row = new Users.NewUser(account.email(), account.name(), UserState.ACTIVE, false, hash);
    Optional<User> user = Users.insert(connection, row);
    if (user.isPresent()) {
      AuditTrail.write(connection, caller, AuditAction.USER_CREATE, user.get().target());
    }
    return user.map(User::id);
  }
}
