package dev.tollgate.server.postgres.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Operating system user as which PostgreSQL's programs are run: never root. A process of root runs
 * them as the user {@code tollgate}, or as an unused user in a user namespace.
 */
sealed interface RunAs permits RunAs.CurrentUser, RunAs.SetPriv, RunAs.Su, UserNamespace {
  /** User whom root lets run the programs if it exists. */
  String USER = "tollgate";

  /** Returns the command line that runs {@code program} as this user. */
  List<String> wrap(List<String> program);

  /** Returns the user that must own the cluster; empty if it is the user of this process. */
  OptionalInt uid();

  /** Completes the start of a process, which waits for it before it runs the program. */
  default void complete(Process started) throws IOException {}

  /** The programs run as this process's user, which is not root. */
  record CurrentUser() implements RunAs {
    @Override
    public List<String> wrap(List<String> program) {
      return program;
    }

    @Override
    public OptionalInt uid() {
      return OptionalInt.empty();
    }
  }

  /** The programs run as another user, through setpriv. */
  record SetPriv(String user) implements RunAs {
    @Override
    public List<String> wrap(List<String> program) {
      String group = id("-g", user);
      return concat(
          List.of("setpriv", "--reuid", user, "--regid", group, "--init-groups", "--"), program);
    }

    @Override
    public OptionalInt uid() {
      return OptionalInt.of(Integer.parseInt(id("-u", user)));
    }
  }

  /** The programs run as another user, through su, where setpriv is missing. */
  record Su(String user) implements RunAs {
    @Override
    public List<String> wrap(List<String> program) {
      String line = program.stream().map(Su::quoted).collect(Collectors.joining(" ", "exec ", ""));
      return List.of("su", "-s", "/bin/sh", "-c", line, user);
    }

    @Override
    public OptionalInt uid() {
      return OptionalInt.of(Integer.parseInt(id("-u", user)));
    }

    private static String quoted(String word) {
      return "'" + word.replace("'", "'\\''") + "'";
    }
  }

  /**
   * Chooses the user for a directory that holds, or will hold, a cluster. The present owner of a
   * cluster continues to run it, because no other user can read it.
   *
   * @param userNamespaces true if a user namespace may be used
   */
  static RunAs choose(PostgresDirectory directory, Path programs, boolean userNamespaces)
      throws IOException, StoreException {
    if (new UnixSystem().getUid() != 0) {
      return new CurrentUser();
    }
    if (directory.isInitialised()) {
      return owner(directory, programs);
    }
    if (runs(List.of("id", "-u", USER))) {
      return switchTo(USER);
    }
    RunAs unused = UserNamespace.ofUnusedUser(directory.folder(), programs);
    if (userNamespaces && works(unused)) {
      return unused;
    }
    throw new StoreException(
        "Tollgate runs as root, PostgreSQL must not, and a user namespace cannot be used here."
            + " Create a user for it (useradd --system "
            + USER
            + "), or run Tollgate as another user than root");
  }

  private static RunAs owner(PostgresDirectory directory, Path programs)
      throws IOException, StoreException {
    int uid = (int) Files.getAttribute(directory.cluster(), "unix:uid");
    if (uid == 0) {
      throw directory.madeBeforeTheFirstRelease();
    }
    if (runs(List.of("id", "-u", USER)) && new SetPriv(USER).uid().getAsInt() == uid) {
      return switchTo(USER);
    }
    return new UserNamespace(uid, directory.folder(), programs);
  }

  private static RunAs switchTo(String user) throws IOException {
    SetPriv setPriv = new SetPriv(user);
    return works(setPriv) ? setPriv : new Su(user);
  }

  private static boolean works(RunAs runAs) throws IOException {
    Process process = new ProcessBuilder(runAs.wrap(List.of("id", "-un"))).start();
    try (var out = process.getInputStream();
        var err = process.getErrorStream()) {
      runAs.complete(process);
      process.getOutputStream().close();
      out.readAllBytes();
      err.readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException refusedByTheSystem) {
      process.destroyForcibly();
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static boolean runs(List<String> command) throws IOException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static String id(String option, String user) {
    try {
      Process id = new ProcessBuilder("id", option, user).start();
      return new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look up the user " + user, e);
    }
  }

  private static List<String> concat(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }
}
