package dev.tollgate.server.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The version that {@code --version} prints: the one written into the jar. */
final class VersionProvider implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {"tollgate " + Objects.requireNonNullElse(version, "(unpackaged)")};
  }
}
