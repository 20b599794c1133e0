package dev.tollgate.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Legal transitions, for every pair of states. */
final class JobStatusTest {
  private static final Set<String> LEGAL =
      Set.of(
          "queued submitted",
          "queued failed",
          "queued canceled",
          "queued expired",
          "submitted running",
          "submitted failed",
          "submitted canceled",
          "submitted expired",
          "running succeeded",
          "running failed",
          "running canceled",
          "running expired");

  @Test
  void everyPair() {
    for (JobStatus from : JobStatus.values()) {
      for (JobStatus to : JobStatus.values()) {
        assertThat(from.next().contains(to))
            .as("%s to %s", from, to)
            .isEqualTo(LEGAL.contains(from.wire() + " " + to.wire()));
      }
    }
  }

  @Test
  void whatIsOverStaysAsItIs() {
    assertThat(List.of(JobStatus.values()).stream().filter(JobStatus::isTerminal))
        .containsExactly(
            JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELED, JobStatus.EXPIRED);
  }

  @Test
  void namesAreReadBack() {
    for (JobStatus status : JobStatus.values()) {
      assertThat(JobStatus.parse(status.wire())).contains(status);
    }
    assertThat(JobStatus.parse("RUNNING")).isEmpty();
  }
}
