"""What people see while something runs and when it has ended: terminals and notebooks."""
