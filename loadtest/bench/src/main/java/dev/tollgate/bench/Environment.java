package dev.tollgate.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Reads the properties of the machine and the program, without which a run's results cannot be
 * compared.
 */
final class Environment {
  private static final String UNKNOWN = "unknown";
  private static final Path GOVERNOR =
      Path.of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");

  private Environment() {}

  /** Returns the values by name, in the order of the report. */
  static Map<String, String> read(String version) {
    Map<String, String> found = new LinkedHashMap<>();
    found.put("cpu", cpuModel());
    found.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    found.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    found.put("governor", firstLine(GOVERNOR));
    found.put("load_average_before", loadAverage());
    found.put("jdk", System.getProperty("java.vm.name") + " " + Runtime.version());
    found.put("version", version);
    found.put("commit", Commit.ofThisProgram());
    return found;
  }

  /** True if the load average exceeded the number of cores before the run. */
  static boolean wasBusy(Map<String, String> environment) {
    String average = environment.getOrDefault("load_average_before", UNKNOWN);
    return !average.equals(UNKNOWN)
        && Double.parseDouble(average) > Double.parseDouble(environment.getOrDefault("cores", "1"));
  }

  /** Returns the load average of the last minute. */
  static String loadAverage() {
    double average = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return average < 0 ? UNKNOWN : String.format(Locale.ROOT, "%.2f", average);
  }

  private static String cpuModel() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException _) {
      return System.getProperty("os.arch");
    }
  }

  private static String firstLine(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException _) {
      return UNKNOWN;
    }
  }
}
