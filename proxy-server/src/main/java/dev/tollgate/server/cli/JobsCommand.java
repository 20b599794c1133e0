package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobJson;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tollgate jobs}: videos and music that are made, or were. */
@Command(
    name = "jobs",
    description = "Look at media jobs, and cancel them.",
    mixinStandardHelpOptions = true,
    subcommands = {
      JobsCommand.ListJobsCommand.class,
      JobsCommand.ShowJobCommand.class,
      JobsCommand.CancelJobCommand.class
    })
final class JobsCommand extends CommandGroup {
  @Command(
      name = "list",
      description = "List the latest jobs, the latest first.",
      mixinStandardHelpOptions = true)
  static final class ListJobsCommand extends OrgListCommand {
    @Option(
        names = "--status",
        paramLabel = "STATUS",
        description = "In this status alone, such as running or failed.")
    private @Nullable String status;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      Optional<JobStatus> only = status == null ? Optional.empty() : JobStatus.parse(status);
      if (status != null && only.isEmpty()) {
        throw usage("there is no status " + status);
      }
      List<Job> latest = store.jobViews().list(org(store), only.orElse(null), limit());
      rows()
          .print(
              latest.stream().map(JobsCommand::row).toList(),
              "id",
              "kind",
              "model",
              "provider",
              "status",
              "progress",
              "estimated_cost_micro",
              "cost_micro",
              "created_at",
              "completed_at");
    }
  }

  @Command(
      name = "show",
      description = "Show a job with all that is known of it.",
      mixinStandardHelpOptions = true)
  static final class ShowJobCommand extends TenantCommand {
    @Parameters(paramLabel = "JOB", description = "The job's id.")
    private String id = "";

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      rows().print(row(findJob(store, id)));
    }
  }

  @Command(
      name = "cancel",
      description = "Cancel a job; what a provider has already, a gateway asks it to give up.",
      mixinStandardHelpOptions = true)
  static final class CancelJobCommand extends TenantCommand {
    @Parameters(paramLabel = "JOB", description = "The job's id.")
    private String id = "";

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      JobId job = findJob(store, id).id();
      switch (store.jobViews().cancel(job)) {
        case CANCELED -> out().println(job + " is canceled");
        case REQUESTED -> out().println(job + ": its provider is asked to give it up");
        case ALREADY_ENDED -> throw new CommandFailedException("job " + job + " is over");
        case NOT_FOUND -> throw new CommandFailedException("there is no job " + id);
      }
    }
  }

  private static Job findJob(Store store, String id)
      throws SQLException, StoreBackedCommand.CommandFailedException {
    Optional<JobId> name = JobId.parse(id);
    Optional<Job> job = name.isEmpty() ? Optional.empty() : store.jobViews().find(null, name.get());
    return job.orElseThrow(
        () -> new StoreBackedCommand.CommandFailedException("there is no job " + id));
  }

  /** URLs are for who owns what was made. */
  private static ObjectNode row(Job job) {
    String json = JobJson.of(job, name -> new SignedUrl(name.toString(), Instant.EPOCH)).toString();
    ObjectNode row = RowPrinter.parsed(json);
    row.withArray("/artifacts")
        .forEach(
            artifact -> {
              ((ObjectNode) artifact).set("blob", artifact.get("url"));
              ((ObjectNode) artifact).remove(List.of("url", "expires_at"));
            });
    return row;
  }
}
