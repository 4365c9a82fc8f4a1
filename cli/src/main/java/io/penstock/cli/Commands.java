package io.penstock.cli;

import io.penstock.cli.terminal.Terminal;
import java.util.Map;
import picocli.CommandLine;

/** Puts the commands together. */
final class Commands {
    private Commands() {}

    static CommandLine all(Map<String, String> environment, Terminal terminal) {
        CommandLine line = new CommandLine(new Penstock());
        line.getCommandSpec().version("penstock " + Version.text());
        line.addSubcommand(new CheckCommand(terminal, environment));
        line.addSubcommand(new UpCommand(terminal, environment));
        line.addSubcommand(new ServeCommand(terminal, environment));
        line.addSubcommand(new MigrateCommand(terminal, environment));
        line.addSubcommand(new StopCommand(terminal, environment));
        line.addSubcommand(new ResumeCommand(terminal, environment));
        line.addSubcommand(new StatusCommand(terminal, environment));
        CommandLine budgets = new CommandLine(new BudgetCommands(terminal, environment));
        budgets.addSubcommand(new ExplainCommand(terminal, environment));
        budgets.addSubcommand(new ResetCommand(terminal, environment));
        line.addSubcommand(budgets);
        line.addSubcommand(new ApplyCommand(terminal, environment));
        line.addSubcommand(new RevisionsCommand(terminal, environment));
        line.addSubcommand(new RollbackCommand(terminal, environment));
        line.addSubcommand(new KeyCommands(terminal, environment));
        line.addSubcommand(new BlockCommands.Listing(terminal, environment));
        line.addSubcommand(new BlockCommands.Block(terminal, environment));
        line.addSubcommand(new BlockCommands.Unblock(terminal, environment));
        line.addSubcommand(new TryCommand(terminal, environment));
        line.addSubcommand(new DemoServerCommand(terminal));
        line.addSubcommand(new DoctorCommand(terminal, environment));
        line.addSubcommand(new TrainCommand(terminal, environment));
        line.addSubcommand(new TestCommand());
        line.addSubcommand(new CompletionCommand(terminal));
        return line;
    }
}
