package dev.tollgate.server.postgres.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Operating system user as which PostgreSQL's programs are run. PostgreSQL refuses to run as root,
 * so root starts it as user {@code nobody} in a user namespace, where it keeps access to root's
 * files, or as another user that then owns the directory.
 */
sealed interface RunAs {
  /** Returns the command line that runs {@code program} as this user. */
  List<String> wrap(List<String> program);

  /** The programs run as this process's user, which is not root. */
  record CurrentUser() implements RunAs {
    @Override
    public List<String> wrap(List<String> program) {
      return program;
    }
  }

  /** The programs run as user {@code nobody} in a user namespace of their own. */
  record UserNamespace() implements RunAs {
    @Override
    public List<String> wrap(List<String> program) {
      return concat(List.of("unshare", "--user", "--"), program);
    }
  }

  /** The programs run as another user, through setpriv. */
  record SetPriv(String user) implements RunAs {
    @Override
    public List<String> wrap(List<String> program) {
      return concat(
          List.of("setpriv", "--reuid", user, "--regid", groupOf(user), "--init-groups", "--"),
          program);
    }
  }

  /** The programs run as another user, through su, where setpriv is missing. */
  record Su(String user) implements RunAs {
    @Override
    public List<String> wrap(List<String> program) {
      String line = program.stream().map(Su::quoted).collect(Collectors.joining(" ", "exec ", ""));
      return List.of("su", "-s", "/bin/sh", "-c", line, user);
    }

    private static String quoted(String word) {
      return "'" + word.replace("'", "'\\''") + "'";
    }
  }

  /**
   * Chooses the user for a directory that holds, or will hold, a database. The present owner
   * continues to run it, because no other user can read it.
   *
   * @param userNamespaces true if a user namespace may be used
   */
  static RunAs choose(Path folder, boolean userNamespaces) throws IOException, StoreException {
    if (new UnixSystem().getUid() != 0) {
      return new CurrentUser();
    }
    boolean ownedByRoot =
        !Files.exists(folder) || Integer.valueOf(0).equals(Files.getAttribute(folder, "unix:uid"));
    if (ownedByRoot && userNamespaces && succeeds(new UserNamespace().wrap(List.of("true")))) {
      return new UserNamespace();
    }
    return switchTo(ownedByRoot ? availableUser() : Files.getOwner(folder).getName());
  }

  /** Returns the required owner of the directory, or empty if the present one is right. */
  default List<String> owner() {
    return switch (this) {
      case CurrentUser currentUser -> List.of();
      case UserNamespace namespace -> List.of();
      case SetPriv setPriv -> List.of(setPriv.user());
      case Su su -> List.of(su.user());
    };
  }

  private static RunAs switchTo(String user) throws IOException {
    SetPriv setPriv = new SetPriv(user);
    return succeeds(setPriv.wrap(List.of("true"))) ? setPriv : new Su(user);
  }

  private static String availableUser() throws IOException, StoreException {
    for (String user : List.of("tollgate", "postgres", "nobody")) {
      if (succeeds(List.of("id", "-u", user))) {
        return user;
      }
    }
    throw new StoreException(
        "PostgreSQL does not run as root, user namespaces are not allowed here, and there is no"
            + " user tollgate, postgres or nobody to run it as; create one, or run Tollgate as"
            + " another user");
  }

  private static String groupOf(String user) {
    try {
      Process id = new ProcessBuilder("id", "-g", user).start();
      return new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look up the group of " + user, e);
    }
  }

  private static boolean succeeds(List<String> command) throws IOException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException notInstalled) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static List<String> concat(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream())
        .collect(Collectors.toCollection(ArrayList::new));
  }
}
