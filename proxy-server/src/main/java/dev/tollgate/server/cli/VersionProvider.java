package dev.tollgate.server.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Provider of the version that {@code --version} prints, from the manifest of the jar. */
final class VersionProvider implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {"tollgate " + Objects.requireNonNullElse(version, "(unpackaged)")};
  }
}
