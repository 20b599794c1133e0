package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * User namespace in which PostgreSQL's programs run as {@code nobody}; outside this is a user
 * number without an entry, so it has access to its own files only. Root writes the map (user
 * namespaces, "Defining user and group ID mappings", user_namespaces(7)).
 */
record UserNamespace(int user, Path folder, Path programs) implements RunAs {
  /** The user inside: initdb wants one with an entry in /etc/passwd. */
  private static final int INNER_USER = 65_534;

  /** Numbers that neither distributions nor systemd nor container engines give out. */
  private static final int UNUSED_FIRST = 1_900_000_000;

  private static final int UNUSED_COUNT = 200_000_000;
  private static final int START_MILLIS_MAX = 5_000;

  /** Waits for the map; only then is there a user to become. */
  private static final String ENTER =
      "exec unshare --user --keep-caps -- /bin/sh -c '"
          + "read -r mapped || exit 1; exec setpriv --reuid "
          + INNER_USER
          + " --regid "
          + INNER_USER
          + " --clear-groups --inh-caps=-all --ambient-caps=-all -- \"$@\"' sh \"$@\"";

  /**
   * Where a folder above the cluster or above the programs is closed to other users, as /root is:
   * covers that folder, for these processes only, with an empty one that leads to ours and nothing
   * else. Arguments: the closed folder, or nothing, and ours; the same for the programs.
   */
  private static final String UNCOVER =
      """
      set -e
      exec 8<"$2" 9<"$4"
      cover() { mount -t tmpfs -o mode=711 tollgate "$1"; }
      uncover() { (umask 066; mkdir -p "$1"); mount -c --bind "/proc/self/fd/$2" "$1"; }
      [ -z "$1" ] || cover "$1"
      [ -z "$3" ] || [ "$3" = "$1" ] || cover "$3"
      [ -z "$1" ] || uncover "$2" 8
      [ -z "$3" ] || uncover "$4" 9
      cd "$2"
      exec 8<&- 9<&-
      shift 4
      """;

  /** Returns one with a number that no user of this machine has. */
  static UserNamespace ofUnusedUser(Path folder, Path programs) {
    int user = UNUSED_FIRST + new SecureRandom().nextInt(UNUSED_COUNT);
    return new UserNamespace(user, folder, programs);
  }

  @Override
  public OptionalInt uid() {
    return OptionalInt.of(user);
  }

  @Override
  public List<String> wrap(List<String> program) {
    String closed = closedFolder(folder);
    String closedPrograms = programs.startsWith(folder) ? "" : closedFolder(programs);
    List<String> command = new ArrayList<>();
    if (closed.isEmpty() && closedPrograms.isEmpty()) {
      command.addAll(List.of("/bin/sh", "-c", ENTER, "sh"));
    } else {
      command.addAll(
          List.of("unshare", "--mount", "--propagation", "private", "--", "/bin/sh", "-c"));
      command.addAll(List.of(UNCOVER + ENTER, "sh"));
      command.addAll(List.of(closed, folder.toString(), closedPrograms, programs.toString()));
    }
    command.addAll(program);
    return command;
  }

  /** Writes the map as soon as the process is in its namespace, and lets it continue. */
  @Override
  public void complete(Process started) throws IOException {
    Path process = Path.of("/proc", Long.toString(started.pid()));
    Path outside = Files.readSymbolicLink(Path.of("/proc/self/ns/user"));
    for (int millis = 0; namespaceOf(process).equals(outside); millis++) {
      if (millis == START_MILLIS_MAX || !started.isAlive()) {
        throw new IOException("a user namespace could not be made");
      }
      pause();
    }
    String map = INNER_USER + " " + user + " 1\n";
    Files.writeString(process.resolve("uid_map"), map);
    Files.writeString(process.resolve("gid_map"), map);
    started.getOutputStream().write("\n".getBytes(StandardCharsets.UTF_8));
    started.getOutputStream().flush();
  }

  private static Path namespaceOf(Path process) throws IOException {
    return Files.readSymbolicLink(process.resolve("ns").resolve("user"));
  }

  /** Returns the first folder on the way that other users may not enter; empty if there is none. */
  private static String closedFolder(Path ours) {
    for (int names = 1; names < ours.getNameCount(); names++) {
      Path above = ours.resolve("/").resolve(ours.subpath(0, names));
      try {
        if (!Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE)) {
          return above.toString();
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read the permissions of " + above, e);
      }
    }
    return "";
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a user namespace is made", e);
    }
  }
}
